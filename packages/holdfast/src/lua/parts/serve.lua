-- Needs `nowUs`, `limit`, `held`, `leave` and `take`.
-- Both do at most 500 leases, and about 2,000 slots, a call.

-- Drops leases that have ended. Returns whether there may be more.
local function dropEnded()
  local work = 0
  local ended = redis.call('zrange', KEYS[1], 1e12, nowUs, 'byscore', 'limit', 0, 500)
  local slotted = #ended > 0 and redis.call('zscore', KEYS[1], '#slots')
  for _, member in ipairs(ended) do
    local holder, permits = string.match(member, '^(%S+) (%d+)$')
    leave(holder, permits, slotted)
    if slotted then work = work + permits end
    if work >= 2000 then return true end
  end
  return #ended == 500
end

-- Grants to the first waiters, in strict order, as long as their permits are free. Who listens is asked before the message is
-- sent, and the lease is written before it: see hand-off.lua. Returns how many got theirs, and:
-- 'empty'; 'full' (the first waiter's permits are not free); 'self' (the caller is first, and they are); 'mute' (no right to ask or
-- publish); 'more' (bound reached, call again).
local function serve(self)
  local given, work = 0, 0
  for _ = 1, 500 do
    local first = redis.call('zrange', KEYS[2], 0, 0, 'withscores')
    if not first[1] then return 'empty', given end
    local holder, leaseMs, permits, slotted, kind, channel =
      string.match(first[1], '^(%S+) (%d+) (%d+) ([01]) ([ps]) (.*)$')
    permits = tonumber(permits)
    local fits = held + permits <= limit
    local listeners = holder ~= self and redis.pcall('pubsub', kind == 's' and 'shardnumsub' or 'numsub', channel)
    if listeners and listeners.err then return 'mute', given end
    local listens = not listeners or listeners[2] > 0
    if listens and permits <= limit and not fits then return 'full', given end
    redis.call('zrem', KEYS[2], first[1])
    if holder == self then return 'self', given end
    local text = holder .. ' ask'
    if listens and fits then
      local token, taken = take(holder, permits, leaseMs, slotted)
      text = table.concat({ holder, token, string.format('%.0f', nowUs), leaseMs, taken ~= '' and taken or nil }, ' ')
    end
    local sent = not listens or redis.pcall(kind == 's' and 'spublish' or 'publish', channel, text)
    if type(sent) == 'table' then
      if fits then leave(holder, permits, slotted == '1') end
      redis.call('zadd', KEYS[2], first[2], first[1])
      return 'mute', given
    end
    if listens and fits then
      given = given + 1
      work = work + (slotted == '1' and permits or 0)
      if work >= 2000 then return 'more', given end
    end
  end
  return 'more', given
end
