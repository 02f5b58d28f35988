-- Takes permits when so many are free and nobody was there before; else joins the queue, or says how it stands.
-- KEYS[1] permits
-- KEYS[2] waiters
-- ARGV[1] holderId
-- ARGV[2] permits
-- ARGV[3] ttlMs
-- ARGV[4] limit      what the caller believes; the stored one wins; '' = it does not know
-- ARGV[5] slotted    '1' = each permit gets a slot
-- ARGV[6] member     how this waiter stands in the queue; '' = does not wait
-- ARGV[7] ticket     its place; '' = a new one, behind all others
-- ARGV[8] queueTtlMs
-- Returns {'granted' or 'yours', limit, token, leaseMs, slots}, {'busy', limit, remainingMs}, {'no limit'}, {'too many', limit},
-- {'more'} (call again) or {'queued', limit, remainingMs, ticket, rank, isNew, nowUs}; all strings
local holder, permits = ARGV[1], tonumber(ARGV[2])
local time = redis.call('time')
local nowUs = time[1] * 1000000 + time[2]
local meta = redis.call('zmscore', KEYS[1], '#limit', '#held', '#token', holder .. ' ' .. permits)
local limit, held, lastToken, endsUs = tonumber(meta[1]), tonumber(meta[2]) or 0, -(tonumber(meta[3]) or 0), tonumber(meta[4])
local fresh = not limit
if fresh then
  if redis.call('exists', KEYS[1]) == 1 then return redis.error_reply('WRONGTYPE a sorted set that is no semaphore') end
  limit = tonumber(ARGV[4])
  if not limit then return { 'no limit' } end
end
--! take
-- The common case. Leases that have ended and are in nobody's way are dropped by the first grant of each second, up to 500.
local queued = redis.call('exists', KEYS[2]) == 1
local simple = not queued and not endsUs and ARGV[5] == '0' and held + permits <= limit
if simple and math.floor(nowUs / 1000000) == math.floor(lastToken / 1000000) then
  return { 'granted', tostring(limit), take(holder, permits, ARGV[3]), ARGV[3], '' }
end

--! leave
--! serve
local waits = ARGV[6] ~= ''
-- A command that was sent twice, or a hand-off whose message got lost.
if endsUs and endsUs > nowUs then
  if waits then redis.call('zrem', KEYS[2], ARGV[6]) end
  local taken = {}
  for i = 1, ARGV[5] == '1' and permits or 0 do
    taken[i] = redis.call('zscore', KEYS[1], '^' .. holder .. ' ' .. i) - 4000000
  end
  local token = string.sub(redis.call('zscore', KEYS[1], '=' .. holder), 2)
  return { 'yours', tostring(limit), token, tostring(math.ceil((endsUs - nowUs) / 1000)), table.concat(taken, ',') }
end
if endsUs then leave(holder, permits, ARGV[5] == '1') end

local more = dropEnded()
if permits > limit then
  if waits and redis.call('zrem', KEYS[2], ARGV[6]) == 1 then serve() end
  return { 'too many', tostring(limit) }
end

--! join
local ticket, isNew
if waits and (queued or held + permits > limit) then
  ticket, isNew = join(KEYS[2], ARGV[6], ARGV[7], nowUs, ARGV[8])
end
local served = queued and serve(holder)
if served == 'more' then return { 'more' } end
local free = held + permits <= limit
if free and served ~= 'full' then
  if ticket then redis.call('zrem', KEYS[2], ARGV[6]) end
  local token, taken = take(holder, permits, ARGV[3], ARGV[5])
  return { 'granted', tostring(limit), token, ARGV[3], taken }
end
if more then return { 'more' } end
if not waits then return { 'busy', tostring(limit), '-1' } end

local first = redis.call('zrange', KEYS[1], 1e12, '+inf', 'byscore', 'limit', 0, 1, 'withscores')
local remainingMs = first[2] and math.ceil((first[2] - nowUs) / 1000) or -1
-- Whoever is in front wants more than is free, and may die meanwhile without a sign.
if free then remainingMs = math.min(remainingMs, 1000) end
local rank = tostring(redis.call('zrank', KEYS[2], ARGV[6]))
return { 'queued', tostring(limit), tostring(remainingMs), ticket, rank, isNew, string.format('%.0f', nowUs) }
