-- The vote of one node of a quorum on one attempt, and the place in this node's queue when it is refused.
-- A free lock with a queue is kept for the first waiter, by whoever comes first.
-- KEYS[1] lock
-- KEYS[2] fence
-- KEYS[3] queue
-- ARGV[1] holderId
-- ARGV[2] ttlMs
-- ARGV[3] stamp         becomes the fencing token when a majority accepts it; the lock's value is holderId:stamp
-- ARGV[4] member        how this waiter stands in the queue; '' = does not wait
-- ARGV[5] ticket        its place, the same on all nodes
-- ARGV[6] queueTtlMs
-- Returns {'yes', nowUs, kept} (kept for it until now), {'stale', nowUs, fence} or {'held', nowUs, who, remainingMs, foreign, rank, isNew}; all strings
--! fence
--! hand-off
local waits = ARGV[4] ~= ''
local nowUs = now()
local nowText = string.format('%.0f', nowUs)
local value = redis.call('get', KEYS[1])
-- By an earlier attempt of the same acquire, or kept for it: what a majority did not confirm is no lease.
local mine = value and string.sub(value, 1, #ARGV[1] + 1) == ARGV[1] .. ':'

-- Set by the plain pair, which looks neither at the queue nor at the fence.
if value == ARGV[1] .. ':' .. ARGV[3] then
  redis.call('del', KEYS[1])
  value, mine = false, false
end

local served
if not value and redis.call('exists', KEYS[3]) == 1 then
  if waits then redis.call('zadd', KEYS[3], 'nx', ARGV[5], ARGV[4]) end
  served = handOff(nowUs, ARGV[1], ARGV[3])
  if served == 'given' or served == 'more' then value = redis.call('get', KEYS[1]) or '' end
end

if not value or mine then
  local fence = lastToken() or 0
  -- Strictly greater: two majorities meet in a node, and there the later one has the greater stamp.
  if tonumber(ARGV[3]) <= fence then
    if served == 'self' then
      redis.call('zadd', KEYS[3], ARGV[5], ARGV[4])
      redis.call('pexpire', KEYS[3], ARGV[6])
    end
    return { 'stale', nowText, string.format('%.0f', fence) }
  end
  if waits then redis.call('zrem', KEYS[3], ARGV[4]) end
  if redis.call('exists', KEYS[3]) == 1 then
    keepToken(ARGV[3], 'queued', 'alone')
  else
    keepToken(ARGV[3], 'alone', 'queued')
  end
  -- Two days: longer than any lease and the half day for which a client trusts that the fence is there (see plain-pair.ts).
  redis.call('pexpire', KEYS[2], 172800000)
  redis.call('set', KEYS[1], ARGV[1] .. ':' .. ARGV[3], 'px', ARGV[2])
  return { 'yes', nowText, value == ARGV[1] .. ':0' and '1' or '0' }
end

-- Tells one holder from another, and no secret.
local who = string.sub(redis.sha1hex(value), 1, 12)
local foreign = (value ~= '' and string.sub(value, 1, 4) ~= 'hf1-') and '1' or '0'
local held = { 'held', nowText, who, tostring(redis.call('pttl', KEYS[1])), foreign, '0', '0' }
if not waits then return held end

--! join
local _, isNew = join(KEYS[3], ARGV[4], ARGV[5], nowUs, ARGV[6])
--! mark-queued
held[6] = tostring(redis.call('zrank', KEYS[3], ARGV[4]))
held[7] = isNew
return held
