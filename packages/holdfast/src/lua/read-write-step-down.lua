-- Makes a lease less than it is, without a gap, and serves the queue: a reader, or, where an upgrade is taken back, what it was before.
-- KEYS[1] leases
-- KEYS[2] turns
-- ARGV[1] holderId
-- ARGV[2] token      of the lease
-- ARGV[3] number     of the attempt to upgrade that is taken back; '' = becomes a reader
-- ARGV[4] upgraded   the token of that upgrade; '' when it was never heard: then that attempt is over
-- ARGV[5] member     '' = was not in the queue
-- Returns {'done' or 'gone'} when nobody waits; else also how the queue was served, and how many got theirs; all strings
local holder, number = ARGV[1], tonumber(ARGV[3])
local time = redis.call('time')
local nowUs = time[1] * 1000000 + time[2]
if ARGV[5] ~= '' then redis.call('zrem', KEYS[2], ARGV[5]) end
local meta = redis.call('zmscore', KEYS[1], '#weight', '#token', '^' .. holder, '+' .. holder)
local weight, lastToken = tonumber(meta[1]), -(tonumber(meta[2]) or 0)
if not weight then return { 'gone' } end
--! read-write-state
--! read-write-change
local mode, endsUs, token = find(holder)
local mine = mode and endsUs > nowUs and token == ARGV[2]
if mine and not number and mode ~= 'r' then change(holder, mode, 'r', endsUs) end
if mine and number then
  local last = tonumber(meta[4]) or 0
  local its = mode == 'w' and last == number and (ARGV[4] == '' or tonumber(meta[3]) == -ARGV[4])
  if its then change(holder, 'w', 'u', endsUs) end
  if ARGV[4] == '' and number >= last then redis.call('zadd', KEYS[1], number + 0.5, '+' .. holder) end
end
local status = mine and 'done' or 'gone'
if redis.call('exists', KEYS[2]) == 0 then return { status } end

--! read-write-drop
--! read-write-serve
local more = dropEnded()
local served, given = serve()
return { status, (more and served == 'full') and 'more' or served, tostring(given) }
