-- Makes a lease that may upgrade a writer as soon as nobody else holds; else it waits before all others, so that no new reader gets in.
-- KEYS[1] leases
-- KEYS[2] turns
-- ARGV[1] holderId   of the lease
-- ARGV[2] token      of the lease
-- ARGV[3] number     of this attempt; one that is over, or had another after it, gets nothing
-- ARGV[4] member     how this waiter stands in the queue; '' = does not wait
-- ARGV[5] queueTtlMs
-- Returns {'granted' or 'yours', token, leaseMs}, {'gone'} (the queue should be served), {'more'} (call again), {'busy', remainingMs} or
-- {'queued', remainingMs, ticket, rank, isNew, nowUs}; all strings
local holder, waits = ARGV[1], ARGV[4] ~= ''
local time = redis.call('time')
local nowUs = time[1] * 1000000 + time[2]
local meta = redis.call('zmscore', KEYS[1], '#weight', '#token', '^' .. holder)
local weight, lastToken = tonumber(meta[1]) or 0, -(tonumber(meta[2]) or 0)
--! read-write-state
--! read-write-change
--! read-write-drop
local mode, endsUs, again = upgradeable(holder, ARGV[2], ARGV[3])
if not mode then
  if waits then redis.call('zrem', KEYS[2], ARGV[4]) end
  return { 'gone' }
end
local leaseMs = tostring(math.floor((endsUs - nowUs) / 1000))
local more = dropEnded()
if mode == 'w' or alone() then
  if waits then redis.call('zrem', KEYS[2], ARGV[4]) end
  if mode == 'w' and again then return { 'yours', string.sub(meta[3], 2), leaseMs } end
  return { 'granted', upgrade(holder, mode, endsUs, ARGV[3]), leaseMs }
end
if more then return { 'more' } end
local remainingMs = tostring(nextEndMs(holder .. ' u'))
if not waits then return { 'busy', remainingMs } end

--! join
-- Less than the ticket of anybody else, which is a time in µs.
local ticket, isNew = join(KEYS[2], ARGV[4], string.format('%.0f', nowUs - 1e15), nowUs, ARGV[5])
return { 'queued', remainingMs, ticket, '0', isNew, string.format('%.0f', nowUs) }
