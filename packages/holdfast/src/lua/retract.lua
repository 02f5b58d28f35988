-- Takes back the vote for an attempt that found no majority, and puts its waiter back at its place. Nobody is told: a
-- waiter that is told asks at once, and two that take turns at that would never settle; each asks again after a random delay.
-- KEYS[1] lock
-- KEYS[2] fence
-- KEYS[3] queue
-- ARGV[1] value        holderId:stamp
-- ARGV[2] member
-- ARGV[3] ticket
-- ARGV[4] queueTtlMs
-- Returns 'retracted' or 'not ours'
local ours = redis.call('get', KEYS[1]) == ARGV[1]
if ours then redis.call('del', KEYS[1]) end
--! join
join(KEYS[3], ARGV[2], ARGV[3], 0, ARGV[4])
--! mark-queued
return ours and 'retracted' or 'not ours'
