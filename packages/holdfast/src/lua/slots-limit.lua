-- Sets the limit at this node, unless a later one is there, and serves those that a higher one lets in.
-- KEYS[1] permits
-- KEYS[2] waiters
-- ARGV[1] limit
-- ARGV[2] stamp     orders the limits; the waiters' token
-- Returns 'set' or 'older'
local time = redis.call('time')
local nowUs = time[1] * 1000000 + time[2]
local stored, setAt = string.match(redis.call('hget', KEYS[1], 'limit') or '', '^(%d+) (%d+)$')
if tonumber(setAt or -1) >= tonumber(ARGV[2]) then return 'older' end
local limit = tonumber(ARGV[1])
local high = math.max(limit, tonumber(stored or 0), tonumber(redis.call('hget', KEYS[1], 'high') or 0))
redis.call('hset', KEYS[1], 'limit', ARGV[1] .. ' ' .. ARGV[2], 'high', high)
redis.call('pexpire', KEYS[1], 2592000000)
--! slots
--! serve-slots
serve('', ARGV[2])
return 'set'
