-- Needs what `read-write-state`, `read-write-change` and `read-write-drop` give. At most 500 leases a call.

-- Gives a waiter what it wants: 'r', 'u', 'w', or `holder:token/number` for an upgrade. Returns how that is said, and how it is taken back.
local function grant(waiter, leaseMs, wants)
  local holder, its, number = string.match(wants, '^(%S+):(%d+)/(%d+)$')
  if not holder then
    local token = take(waiter, wants, leaseMs)
    return token, leaseMs, function() leave(waiter, wants) end
  end
  local mode, endsUs = upgradeable(holder, its, number)
  local token = upgrade(holder, mode, endsUs, number)
  return token, math.floor((endsUs - nowUs) / 1000), function() change(holder, 'w', mode, endsUs) end
end

-- true, false (not now), or nothing: never, its lease is gone.
local function possible(wants)
  if weights[wants] then return fits(wants) end
  local mode = upgradeable(string.match(wants, '^(%S+):(%d+)/(%d+)$'))
  if mode then return mode == 'w' or alone() end
end

-- Grants to the first waiters, in strict order, as long as they fit; an upgrade stands before all others. Who listens is asked before the
-- message is sent, and the lease is written before it: see hand-off.lua. Returns how many got theirs, and:
-- 'empty'; 'full' (the first waiter does not fit); 'self' (the caller is first, and fits); 'mute' (no right to ask or publish);
-- 'more' (bound reached, call again).
local function serve(self)
  local given = 0
  for _ = 1, 500 do
    local first = redis.call('zrange', KEYS[2], 0, 0, 'withscores')
    if not first[1] then return 'empty', given end
    local waiter, leaseMs, wants, kind, channel = string.match(first[1], '^(%S+) (%d+) (%S+) ([ps]) (.*)$')
    local now = possible(wants)
    local listeners = waiter ~= self and redis.pcall('pubsub', kind == 's' and 'shardnumsub' or 'numsub', channel)
    if listeners and listeners.err then return 'mute', given end
    local listens = not listeners or listeners[2] > 0
    if listens and now == false then return 'full', given end
    redis.call('zrem', KEYS[2], first[1])
    if waiter == self then return 'self', given end
    local text, takeBack = waiter .. ' ask', nil
    if listens and now then
      local token, ms
      token, ms, takeBack = grant(waiter, leaseMs, wants)
      text = table.concat({ waiter, token, string.format('%.0f', nowUs), ms }, ' ')
    end
    local sent = not listens or redis.pcall(kind == 's' and 'spublish' or 'publish', channel, text)
    if type(sent) == 'table' then
      if takeBack then takeBack() end
      redis.call('zadd', KEYS[2], first[2], first[1])
      return 'mute', given
    end
    if takeBack then given = given + 1 end
  end
  return 'more', given
end
