-- Sets the end of a lease that is still this holder's. Never makes one.
-- KEYS[1] permits
-- ARGV[1] holderId
-- ARGV[2] permits
-- ARGV[3] token
-- ARGV[4] ttlMs
-- Returns 'renewed' or 'expired' (nobody's)
local time = redis.call('time')
local nowUs = time[1] * 1000000 + time[2]
local member = ARGV[1] .. ' ' .. ARGV[2]
local lease = redis.call('zmscore', KEYS[1], member, '=' .. ARGV[1])
if not lease[1] or tonumber(lease[1]) <= nowUs or tonumber(lease[2]) ~= -ARGV[3] then return 'expired' end
-- In this order: a server without memory refuses a ZADD, but not behind another write of the same script.
redis.call('pexpire', KEYS[1], 93600000, 'gt')
redis.call('zadd', KEYS[1], 'xx', nowUs + ARGV[4] * 1000, member)
return 'renewed'
