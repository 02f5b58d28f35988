-- The two plain commands that take a free lock (store/plain-pair.ts), for those that travel in company.
-- KEYS[1] lock
-- KEYS[2] fence
-- ARGV[1] value   holderId:stamp
-- ARGV[2] ttlMs
-- ARGV[3] stamp   becomes the fencing token if it is newer than the fence, and nobody waits
-- Returns {false, 1} when both said yes, {false, 0} when the fence did not, {value, 0} with what is in the way
local before = redis.call('set', KEYS[1], ARGV[1], 'nx', 'px', ARGV[2], 'get')
return { before, before and 0 or redis.call('zadd', KEYS[2], 'xx', 'gt', 'ch', ARGV[3], 'alone') }
