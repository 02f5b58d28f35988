-- Gives the lock back if it is still this holder's, to the next live waiter where there is one. With a member it also
-- leaves the queue: what a waiter that gives up sends, whether or not a grant is on its way to it.
-- KEYS[1] lock
-- KEYS[2] fence
-- KEYS[3] queue
-- ARGV[1] value    holderId:token, or the holderId alone when a waiter that gives up never heard its token
-- ARGV[2] member   optional; '' = none
-- ARGV[3] stamp    optional; what a waiter of a quorum gets as its token
-- Returns 'released', 'given', 'mute', 'more' (still held: call again), 'lost' (another's) or 'expired' (nobody's)
if ARGV[2] and ARGV[2] ~= '' then redis.call('zrem', KEYS[3], ARGV[2]) end
local value = redis.call('get', KEYS[1])
if value ~= ARGV[1] and (not value or string.sub(value, 1, #ARGV[1]) ~= ARGV[1]) then
  return value and 'lost' or 'expired'
end
if redis.call('exists', KEYS[3]) == 0 then
  redis.call('del', KEYS[1])
  return 'released'
end

-- Only here somebody waits; what is defined below costs time even when it is not called.
--! fence
--! hand-off
local served = handOff(now(), nil, ARGV[3])
-- Pops make the script writable even when the server is out of memory; the DEL comes last so that 'more' stays held.
if served == 'empty' or served == 'mute' then redis.call('del', KEYS[1]) end
return served == 'empty' and 'released' or served
