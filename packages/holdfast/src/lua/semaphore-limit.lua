-- Sets the limit, and serves the queue. Kept for 30 days, whatever is used meanwhile.
-- KEYS[1] permits
-- KEYS[2] waiters
-- ARGV[1] limit
-- Returns how the queue was served ('more' = call again, '' = nobody waits)
local time = redis.call('time')
local nowUs = time[1] * 1000000 + time[2]
local meta = redis.call('zmscore', KEYS[1], '#limit', '#held', '#token')
if not meta[1] and redis.call('exists', KEYS[1]) == 1 then
  return redis.error_reply('WRONGTYPE a sorted set that is no semaphore')
end
local limit, held, lastToken, fresh = tonumber(ARGV[1]), tonumber(meta[2]) or 0, -(tonumber(meta[3]) or 0), false
redis.call('zadd', KEYS[1], limit, '#limit', held, '#held')
redis.call('pexpire', KEYS[1], 2592000000)
if redis.call('exists', KEYS[2]) == 0 then return '' end
--! leave
--! take
--! serve
local more = dropEnded()
local served = serve()
return (more and served == 'full') and 'more' or served
