-- The vote of one node of a quorum on one attempt to take slots of a semaphore, one vote per slot, and the place in this node's
-- queue when not all are accepted. Whoever stands in the queue comes first.
-- KEYS[1] permits
-- KEYS[2] waiters
-- ARGV[1] holderId
-- ARGV[2] ttlMs
-- ARGV[3] stamp         becomes the fencing token of the slots that a majority accepts
-- ARGV[4] limit         the caller's, for a node that has none stored; '' = it knows none
-- ARGV[5] permits       how many are wanted
-- ARGV[6] slots         which are proposed: '3,7'
-- ARGV[7] member        how this waiter stands in the queue; '' = does not wait
-- ARGV[8] ticket
-- ARGV[9] queueTtlMs
-- Returns {'voted', nowUs, limit, accepted, free, fence, remainingMs, rank, isNew}, {'too many', nowUs, limit} or {'no limit'}
local time = redis.call('time')
local nowUs = time[1] * 1000000 + time[2]
local stored = string.match(redis.call('hget', KEYS[1], 'limit') or '', '^%d+')
local limit = tonumber(stored or ARGV[4])
if not limit then return { 'no limit' } end
local permits = tonumber(ARGV[5])
local nowText = string.format('%.0f', nowUs)
if permits > limit then return { 'too many', nowText, tostring(limit) } end
--! slots
--! serve-slots
local waits = ARGV[7] ~= ''
local served = 'empty'
if redis.call('exists', KEYS[2]) == 1 then
  if waits then redis.call('zadd', KEYS[2], 'nx', ARGV[8], ARGV[7]) end
  served = serve(ARGV[1], ARGV[3])
end

if not stored then
  redis.call('hset', KEYS[1], 'limit', limit .. ' 0', 'high', limit)
  keep()
end
local high = tonumber(redis.call('hget', KEYS[1], 'high'))
local mayVote = served ~= 'full' and served ~= 'more'
if mayVote and high > limit then mayVote = #freeFor(ARGV[1]) > 0 end
local accepted, fence = {}, 0
for slot in string.gmatch(mayVote and ARGV[6] or '', '%d+') do
  local holder, _, ends = slotAt(slot)
  if tonumber(slot) < limit and (not holder or holder == ARGV[1] or ends <= nowUs) then
    local last = fenceOf(slot)
    if tonumber(ARGV[3]) > last then
      take(slot, ARGV[1], ARGV[3], ARGV[2])
      accepted[#accepted + 1] = slot
    else
      fence = math.max(fence, last)
    end
  end
end

local answer = { 'voted', nowText, tostring(limit), table.concat(accepted, ','), '', string.format('%.0f', fence), '-1', '0', '0' }
if #accepted == permits then
  if waits then redis.call('zrem', KEYS[2], ARGV[7]) end
  return answer
end

local free, remainingMs = freeFor(ARGV[1])
answer[5] = mayVote and table.concat(free, ',') or ''
answer[7] = tostring(remainingMs)
if not waits then return answer end
--! join
local _, isNew = join(KEYS[2], ARGV[7], ARGV[8], nowUs, ARGV[9])
answer[8] = tostring(redis.call('zrank', KEYS[2], ARGV[7]))
answer[9] = isNew
return answer
