-- Gives a node that has lost the lock its vote back, for a holder that has just renewed at a majority of the others.
-- The fence never goes down.
-- KEYS[1] lock
-- KEYS[2] fence
-- ARGV[1] value     holderId:token
-- ARGV[2] ttlMs
-- ARGV[3] token
-- Returns 'topped up' or 'held'
--! fence
if redis.call('exists', KEYS[1]) == 1 then return 'held' end
if tonumber(ARGV[3]) > (lastToken() or 0) then keepToken(ARGV[3], 'queued', 'alone') end
redis.call('pexpire', KEYS[2], 172800000)
redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2])
return 'topped up'
