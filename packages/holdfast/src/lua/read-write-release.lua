-- Ends a lease that is still this holder's, whatever its mode, and serves the queue. With a member it also leaves the queue,
-- which may be what those behind it waited for.
-- KEYS[1] leases
-- KEYS[2] turns
-- ARGV[1] holderId   '' = nobody: only serves the queue
-- ARGV[2] token      '' when a waiter that gives up never heard it
-- ARGV[3] member     '' = was not in the queue
-- Returns {'released' or 'expired'} when nobody waits; else also how the queue was served, and how many got theirs; all strings
local time = redis.call('time')
local nowUs = time[1] * 1000000 + time[2]
if ARGV[3] ~= '' then redis.call('zrem', KEYS[2], ARGV[3]) end
local meta = redis.call('zmscore', KEYS[1], '#weight', '#token')
local weight, lastToken = tonumber(meta[1]), -(tonumber(meta[2]) or 0)
if not weight then return { 'expired' } end
--! read-write-state
local mode, endsUs, token = find(ARGV[1])
local mine = mode and (ARGV[2] == '' or ARGV[2] == token)
local status = mine and endsUs > nowUs and 'released' or 'expired'
if mine then leave(ARGV[1], mode) end
if redis.call('exists', KEYS[2]) == 0 then return { status } end

--! read-write-change
--! read-write-drop
--! read-write-serve
local more = dropEnded()
local served, given = serve()
return { status, (more and served == 'full') and 'more' or served, tostring(given) }
