-- Gives permits back if they are still this holder's, to the next live waiters where there are any. With a member it also
-- leaves the queue, which may be what those behind it waited for.
-- KEYS[1] permits
-- KEYS[2] waiters
-- ARGV[1] holderId   '' = nobody: only serves the queue
-- ARGV[2] permits
-- ARGV[3] token      '' when a waiter that gives up never heard it
-- ARGV[4] member     '' = was not in the queue
-- Returns {'released' or 'expired', how the queue was served ('' when nobody waits), how many got permits}; all strings
local holder, permits = ARGV[1], tonumber(ARGV[2])
--! permits
if ARGV[4] ~= '' then redis.call('zrem', KEYS[2], ARGV[4]) end
local status = 'expired'
if endsUs and (ARGV[3] == '' or tonumber(ARGV[3]) == token) then
  if endsUs > nowUs then status = 'released' end
  remove(holder, permits)
end
if not limit or redis.call('exists', KEYS[2]) == 0 then return { status, '', '0' } end

-- Only here somebody waits; what is defined below costs time even when it is not called.
--! serve
local more = dropEnded()
local served, given = serve()
return { status, (more and served == 'full') and 'more' or served, tostring(given) }
