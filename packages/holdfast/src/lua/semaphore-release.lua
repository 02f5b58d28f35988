-- Gives permits back if they are still this holder's, to the next live waiters where there are any. With a member it also
-- leaves the queue, which may be what those behind it waited for.
-- KEYS[1] permits
-- KEYS[2] waiters
-- ARGV[1] holderId   '' = nobody: only serves the queue
-- ARGV[2] permits
-- ARGV[3] token      '' when a waiter that gives up never heard it
-- ARGV[4] slotted    '1' = each permit has a slot
-- ARGV[5] member     '' = was not in the queue
-- Returns {'released' or 'expired'} when nobody waits; else also how the queue was served, and how many got permits; all strings
local time = redis.call('time')
local nowUs = time[1] * 1000000 + time[2]
if ARGV[5] ~= '' then redis.call('zrem', KEYS[2], ARGV[5]) end
local meta = redis.call('zmscore', KEYS[1], '#held', ARGV[1] .. ' ' .. ARGV[2], '=' .. ARGV[1])
local held = tonumber(meta[1])
local mine = meta[2] and (ARGV[3] == '' or tonumber(meta[3]) == -ARGV[3])
local status = mine and tonumber(meta[2]) > nowUs and 'released' or 'expired'
--! leave
if mine then leave(ARGV[1], ARGV[2], ARGV[4] == '1') end
if redis.call('exists', KEYS[2]) == 0 then return { status } end

-- Only here somebody waits; without a limit (the key is gone) they have to ask.
local now = redis.call('zmscore', KEYS[1], '#limit', '#token')
local limit, lastToken, fresh = tonumber(now[1]), -(tonumber(now[2]) or 0), false
if not limit then return { status } end
--! take
--! serve
local more = dropEnded()
local served, given = serve()
return { status, (more and served == 'full') and 'more' or served, tostring(given) }
