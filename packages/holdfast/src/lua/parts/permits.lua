-- A semaphore's key: one sorted set, so that it is lost as a whole or not at all.
--   holderId permits   when that lease ends, in µs of the server's clock (1e12 and more)
--   =holderId          minus its fencing token
--   ^holderId i        its i-th slot, plus 4,000,000
--   f slot             a free slot, plus 2,000,000; every slot below #slots is free or somebody's
--   #limit #held #slots (up to 1,000,000), #token (minus the last fencing token)
-- Every change of a lease changes #held in the same step, so nobody has to count. Reads the lease of `holder` as well.
local time = redis.call('time')
local nowUs = time[1] * 1000000 + time[2]
local meta = redis.call('zmscore', KEYS[1], '#limit', '#held', '#token', '#slots', holder .. ' ' .. permits, '=' .. holder)
local limit, held, slots = tonumber(meta[1]), tonumber(meta[2]), tonumber(meta[4])
local lastToken, endsUs, token = -(tonumber(meta[3]) or 0), tonumber(meta[5]), -(tonumber(meta[6]) or 0)
if not limit then
  if redis.call('exists', KEYS[1]) == 1 then return redis.error_reply('WRONGTYPE a sorted set that is no semaphore') end
  held = 0
end

local function freeSlots(holder, permits)
  for i = 1, slots and permits or 0 do
    local mine = '^' .. holder .. ' ' .. i
    local at = redis.call('zscore', KEYS[1], mine)
    if not at then return end
    redis.call('zrem', KEYS[1], mine)
    redis.call('zadd', KEYS[1], at - 2000000, 'f' .. at - 4000000)
  end
end

-- The removal first: it is what a server without memory allows, and opens the way for the rest.
local function remove(holder, permits)
  redis.call('zrem', KEYS[1], holder .. ' ' .. permits, '=' .. holder)
  held = held - permits
  redis.call('zadd', KEYS[1], held, '#held')
  freeSlots(holder, permits)
end
