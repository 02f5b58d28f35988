-- What stands at a name, for the message that says why it cannot be used. Reads only.
-- KEYS[1] main
-- Returns 'lock', 'semaphore', 'read-write lock', or the type of a key that is none of ours ('none' when there is none)
local kind = redis.call('type', KEYS[1]).ok
if kind == 'zset' and redis.call('zscore', KEYS[1], '#limit') then return 'semaphore' end
if kind == 'zset' and redis.call('zscore', KEYS[1], '#weight') then return 'read-write lock' end
if kind == 'hash' and redis.call('hexists', KEYS[1], 'limit') == 1 then return 'semaphore' end
if kind == 'string' and string.sub(redis.call('get', KEYS[1]), 1, 4) == 'hf1-' then return 'lock' end
return kind == 'zset' and 'sorted set' or kind
