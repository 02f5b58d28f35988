-- Drops leases that have ended (up to 500 a call: each is dropped once, and may wait for the next call), and grants to the
-- first waiters, in strict order, as long as their permits are free. Needs `permits`.
local function dropEnded()
  local ended = redis.call('zrange', KEYS[1], 1e12, nowUs, 'byscore', 'limit', 0, 500)
  for _, member in ipairs(ended) do
    local whose, count = string.match(member, '^(%S+) (%d+)$')
    remove(whose, tonumber(count))
  end
  return #ended == 500
end

-- The lowest free ones. While permits are free, so many slots below the limit are.
local function takeSlots(holder, permits)
  local taken = {}
  slots = slots or 0
  for i = 1, permits do
    local free = redis.call('zrange', KEYS[1], 2000000, 2999999, 'byscore', 'limit', 0, 1)[1]
    local slot = free and tonumber(string.sub(free, 2)) or slots
    if free then redis.call('zrem', KEYS[1], free) else slots = slots + 1 end
    redis.call('zadd', KEYS[1], 4000000 + slot, '^' .. holder .. ' ' .. i)
    taken[i] = slot
  end
  redis.call('zadd', KEYS[1], slots, '#slots')
  return table.concat(taken, ',')
end

local fresh = not limit
-- Fencing token: max(last + 1, microseconds since the epoch). The key outlives every lease, which lasts a day at most.
local function take(holder, permits, leaseMs, slotted)
  local token = math.max(nowUs, lastToken + 1)
  lastToken, held = token, held + permits
  redis.call('zadd', KEYS[1], nowUs + leaseMs * 1000, holder .. ' ' .. permits, -token, '=' .. holder, -token, '#token', held, '#held', limit, '#limit')
  if fresh then
    redis.call('pexpire', KEYS[1], 90000000)
    fresh = false
  else
    redis.call('pexpire', KEYS[1], 90000000, 'gt')
  end
  return string.format('%.0f', token), slotted == '1' and takeSlots(holder, permits) or ''
end

-- 'empty'; 'full' (the first waiter's permits are not free); 'self' (the caller is first, and they are); 'mute' (no right to ask or
-- publish); 'more' (bound reached, call again). And how many got theirs.
-- Who listens is asked before the message is sent, and the lease is written before it: see hand-off.lua.
local function serve(self)
  local given = 0
  for _ = 1, 500 do
    local first = redis.call('zrange', KEYS[2], 0, 0, 'withscores')
    if not first[1] then return 'empty', given end
    local holder, leaseMs, permits, slotted, kind, channel =
      string.match(first[1], '^(%S+) (%d+) (%d+) ([01]) ([ps]) (.*)$')
    permits = tonumber(permits)
    local publish = kind == 's' and 'spublish' or 'publish'
    if permits <= limit and holder == self then
      if held + permits > limit then return 'full', given end
      redis.call('zrem', KEYS[2], first[1])
      return 'self', given
    end
    local listeners = redis.pcall('pubsub', kind == 's' and 'shardnumsub' or 'numsub', channel)
    if listeners.err then return 'mute', given end
    if listeners[2] == 0 then
      redis.call('zrem', KEYS[2], first[1])
    elseif permits > limit then
      redis.call('zrem', KEYS[2], first[1])
      redis.pcall(publish, channel, holder .. ' ask')
    elseif held + permits > limit then
      return 'full', given
    else
      redis.call('zrem', KEYS[2], first[1])
      local token, taken = take(holder, permits, leaseMs, slotted)
      local grant = { holder, token, string.format('%.0f', nowUs), leaseMs }
      if taken ~= '' then grant[5] = taken end
      local answer = redis.pcall(publish, channel, table.concat(grant, ' '))
      if type(answer) ~= 'number' then
        remove(holder, permits)
        redis.call('zadd', KEYS[2], first[2], first[1])
        return 'mute', given
      end
      given = given + 1
    end
  end
  return 'more', given
end
