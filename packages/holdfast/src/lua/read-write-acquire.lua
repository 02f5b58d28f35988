-- Takes a lease when it fits and nobody was there before; else joins the queue, or says how it stands.
-- KEYS[1] leases
-- KEYS[2] turns
-- ARGV[1] holderId
-- ARGV[2] mode       'r' = reads, 'u' = may upgrade, 'w' = writes
-- ARGV[3] ttlMs
-- ARGV[4] member     how this waiter stands in the queue; '' = does not wait
-- ARGV[5] ticket     its place; '' = a new one, behind all others
-- ARGV[6] queueTtlMs
-- Returns {'granted' or 'yours', token, leaseMs}, {'busy', remainingMs}, {'more'} (call again) or
-- {'queued', remainingMs, ticket, rank, isNew, nowUs}; all strings
local holder, mode = ARGV[1], ARGV[2]
local time = redis.call('time')
local nowUs = time[1] * 1000000 + time[2]
local meta = redis.call('zmscore', KEYS[1], '#weight', '#token', '=' .. holder)
local weight, lastToken = tonumber(meta[1]) or 0, -(tonumber(meta[2]) or 0)
if not meta[1] and redis.call('exists', KEYS[1]) == 1 then
  return redis.error_reply('WRONGTYPE a sorted set that is no read-write lock')
end
--! read-write-state
-- The common case. Leases that have ended and are in nobody's way are dropped by the first grant of each second, up to 500.
local queued = redis.call('exists', KEYS[2]) == 1
local simple = not queued and not meta[3] and fits(mode)
if simple and math.floor(nowUs / 1000000) == math.floor(lastToken / 1000000) then
  return { 'granted', take(holder, mode, ARGV[3]), ARGV[3] }
end

--! read-write-change
--! read-write-drop
--! read-write-serve
local waits = ARGV[4] ~= ''
-- A command that was sent twice, or a hand-off whose message got lost.
local has, endsUs, token = find(holder)
if has and endsUs > nowUs then
  if waits then redis.call('zrem', KEYS[2], ARGV[4]) end
  return { 'yours', token, tostring(math.ceil((endsUs - nowUs) / 1000)) }
end
if has then leave(holder, has) end

local more = dropEnded()
--! join
local ticket, isNew
if waits and (queued or not fits(mode)) then ticket, isNew = join(KEYS[2], ARGV[4], ARGV[5], nowUs, ARGV[6]) end
local served = queued and serve(holder)
if served == 'more' then return { 'more' } end
local free = fits(mode)
if free and served ~= 'full' then
  if ticket then redis.call('zrem', KEYS[2], ARGV[4]) end
  return { 'granted', take(holder, mode, ARGV[3]), ARGV[3] }
end
if more then return { 'more' } end
if not waits then return { 'busy', '-1' } end

local remainingMs = nextEndMs()
-- Whoever is in front may die meanwhile without a sign.
if free then remainingMs = math.min(remainingMs, 1000) end
local rank = tostring(redis.call('zrank', KEYS[2], ARGV[4]))
return { 'queued', tostring(remainingMs), ticket, rank, isNew, string.format('%.0f', nowUs) }
