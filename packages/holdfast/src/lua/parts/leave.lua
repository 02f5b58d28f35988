-- A semaphore's key: one sorted set, so that it is lost as a whole or not at all.
--   holderId permits   when that lease ends, in µs of the server's clock (1e12 and more)
--   =holderId          minus its fencing token
--   ^holderId i        its i-th slot, plus 4,000,000
--   f slot             a free slot, plus 2,000,000; every slot below #slots is free or somebody's
--   #limit #held #slots (up to 1,000,000), #token (minus the last fencing token)
-- Every change of a lease changes #held in the same step, so nobody has to count. Needs `held`.
local function freeSlots(holder)
  for i = 1, 1000 do
    local mine = '^' .. holder .. ' ' .. i
    local at = redis.call('zscore', KEYS[1], mine)
    if not at then return end
    redis.call('zrem', KEYS[1], mine)
    redis.call('zadd', KEYS[1], at - 2000000, 'f' .. at - 4000000)
  end
end

-- The removal first: it is what a server without memory allows, and opens the way for the rest.
local function leave(holder, permits, slotted)
  redis.call('zrem', KEYS[1], holder .. ' ' .. permits, '=' .. holder)
  held = held - permits
  redis.call('zadd', KEYS[1], held, '#held')
  if slotted then freeSlots(holder) end
end
