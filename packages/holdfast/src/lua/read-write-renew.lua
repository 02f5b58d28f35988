-- Sets the end of a lease that is still this holder's, and allows what it should. Never makes one.
-- KEYS[1] leases
-- ARGV[1] holderId
-- ARGV[2] token
-- ARGV[3] ttlMs
-- ARGV[4] writes     '1' = only as a writer; an upgrade may have been lost in a fail-over
-- Returns 'renewed' or 'expired' (nobody's)
local time = redis.call('time')
local nowUs = time[1] * 1000000 + time[2]
local of = redis.call('zmscore', KEYS[1], ARGV[1] .. ' r', ARGV[1] .. ' u', ARGV[1] .. ' w', '=' .. ARGV[1])
local mode = of[1] and 'r' or of[2] and 'u' or of[3] and 'w'
local endsUs = of[1] or of[2] or of[3]
if ARGV[4] == '1' and mode ~= 'w' then return 'expired' end
if not mode or tonumber(endsUs) <= nowUs or tonumber(of[4]) ~= -ARGV[2] then return 'expired' end
-- In this order: a server without memory refuses a ZADD, but not behind another write of the same script.
redis.call('pexpire', KEYS[1], 93600000, 'gt')
redis.call('zadd', KEYS[1], 'xx', nowUs + ARGV[3] * 1000, ARGV[1] .. ' ' .. mode)
return 'renewed'
