-- Sets the limit, and serves the queue. Kept for 30 days, whatever is used meanwhile.
-- KEYS[1] permits
-- KEYS[2] waiters
-- ARGV[1] limit
-- Returns how the queue was served ('more' = call again, '' = nobody waits)
local holder, permits = '', 0
--! permits
limit = tonumber(ARGV[1])
redis.call('zadd', KEYS[1], limit, '#limit', held, '#held')
redis.call('pexpire', KEYS[1], 2592000000)
if redis.call('exists', KEYS[2]) == 0 then return '' end
--! serve
local more = dropEnded()
local served = serve()
return (more and served == 'full') and 'more' or served
