-- Somebody waits now: no plain command may raise the fence any more.
local alone = redis.call('zscore', KEYS[2], 'alone')
if alone then
  redis.call('zadd', KEYS[2], alone, 'queued')
  redis.call('zrem', KEYS[2], 'alone')
end
