-- Takes the lock when it is free and nobody was there before; else joins the queue, or says how long it is taken.
-- A free lock with a queue (an expiry) is served to the queue here, by whoever comes first.
-- KEYS[1] lock
-- KEYS[2] fence
-- KEYS[3] queue
-- ARGV[1] holderId      the lock's value is holderId:token
-- ARGV[2] ttlMs
-- ARGV[3] member        how this waiter stands in the queue; '' = does not wait
-- ARGV[4] ticket        its place; '' = a new one, behind all others
-- ARGV[5] queueTtlMs
-- Returns {'granted' or 'yours', token, leaseMs} or {'busy', remainingMs, foreign}
-- or {'queued', remainingMs, foreign, ticket, rank, isNew, nowUs}; all strings
--! fence
--! hand-off
local waits = ARGV[3] ~= ''
local nowUs = now()
local value = redis.call('get', KEYS[1])
local mine = value and string.sub(value, 1, #ARGV[1]) == ARGV[1]

-- A hand-off made this waiter the holder, but its message got lost.
if mine and waits then
  redis.call('zrem', KEYS[3], ARGV[3])
  return { 'yours', string.sub(value, #ARGV[1] + 2), tostring(redis.call('pttl', KEYS[1])) }
end

local served = 'empty'
if (not value or mine) and redis.call('exists', KEYS[3]) == 1 then
  if waits and ARGV[4] ~= '' then redis.call('zadd', KEYS[3], 'nx', ARGV[4], ARGV[3]) end
  served = handOff(nowUs, ARGV[1])
  if served == 'more' then redis.call('del', KEYS[1]) end
end
if (not value or mine) and served ~= 'given' and served ~= 'more' then
  local member, other = 'alone', 'queued'
  if served ~= 'empty' then member, other = 'queued', 'alone' end
  if served == 'mute' and waits then redis.call('zrem', KEYS[3], ARGV[3]) end
  local token = nextToken(nowUs)
  -- The lock last: a script that is refused half-way (memory, rights) leaves nobody holding it.
  keepToken(token, member, other)
  redis.call('set', KEYS[1], ARGV[1] .. ':' .. token, 'px', ARGV[2])
  return { 'granted', token, ARGV[2] }
end

local remainingMs = tostring(redis.call('pttl', KEYS[1]))
local foreign = (value and string.sub(value, 1, 4) ~= 'hf1-') and '1' or '0'
if not waits then return { 'busy', remainingMs, foreign } end

--! join
local ticket, isNew = join(KEYS[3], ARGV[3], ARGV[4], nowUs, ARGV[5])
--! mark-queued
local rank = tostring(redis.call('zrank', KEYS[3], ARGV[3]))
return { 'queued', remainingMs, foreign, ticket, rank, isNew, string.format('%.0f', nowUs) }
