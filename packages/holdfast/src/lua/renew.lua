-- Sets the remaining time of a lease that is still this holder's. Never creates a key.
-- KEYS[1] lock
-- ARGV[1] value     holderId:token
-- ARGV[2] ttlMs
-- Returns 'renewed', 'lost' (another's) or 'expired' (nobody's)
local value = redis.call('get', KEYS[1])
if value ~= ARGV[1] then return value and 'lost' or 'expired' end
redis.call('pexpire', KEYS[1], ARGV[2])
return 'renewed'
