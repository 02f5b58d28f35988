-- Gives the first waiters this node's vote for the lowest free slots, in strict order, as long as so many are free. They hold when a
-- majority gave them the same. Who listens is asked before the message is sent, and the lease is written before it: see hand-off.lua.
-- 'empty'; 'full' (the first waiter's slots are not free); 'self' (the caller is first); 'mute' (no right to ask or publish); 'more'.
-- Then how many were served.
local function choose(free, permits, stamp)
  local chosen = {}
  for _, slot in ipairs(free) do
    if #chosen < permits and tonumber(stamp) > fenceOf(slot) then chosen[#chosen + 1] = slot end
  end
  return #chosen == permits and chosen
end

local function serve(self, stamp)
  local given = 0
  for _ = 1, 500 do
    local first = redis.call('zrange', KEYS[2], 0, 0, 'withscores')
    if not first[1] then return 'empty', given end
    local holder, leaseMs, permits, kind, channel = string.match(first[1], '^(%S+) (%d+) (%d+) %d ([qr]) (.*)$')
    permits = tonumber(permits)
    if holder == self then return 'self', given end
    local answer = redis.pcall('pubsub', kind == 'r' and 'shardnumsub' or 'numsub', channel)
    if answer.err then return 'mute', given end
    local free = answer[2] > 0 and permits <= limit and freeFor(holder)
    if free and #free < permits then return 'full', given end
    local chosen = free and choose(free, permits, stamp)
    local message = holder .. ' ask'
    if chosen then
      for _, slot in ipairs(chosen) do take(slot, holder, stamp, leaseMs) end
      message = table.concat({ holder, stamp, string.format('%.0f', nowUs), leaseMs, table.concat(chosen, ',') }, ' ')
    end
    redis.call('zrem', KEYS[2], first[1])
    local sent = answer[2] == 0 or redis.pcall(kind == 'r' and 'spublish' or 'publish', channel, message)
    if type(sent) == 'table' then
      for _, slot in ipairs(chosen or {}) do drop(slot, holder) end
      redis.call('zadd', KEYS[2], first[2], first[1])
      return 'mute', given
    end
    given = given + (chosen and 1 or 0)
  end
  return 'more', given
end
