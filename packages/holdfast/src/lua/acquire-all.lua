-- Takes several free locks in one step, or none of them: all get the same token, above every fence. Whoever waits for one of them goes first.
-- KEYS: of each lock its lock, fence and queue, as in acquire.lua
-- ARGV[1] holderId
-- ARGV[2] ttlMs
-- Returns {'granted' or 'yours', token, leaseMs}, or of the first one that is in the way {'busy', remainingMs, foreign}; all strings
local time = redis.call('time')
local token = time[1] * 1000000 + time[2]
local mine, all = 0, nil
for i = 1, #KEYS, 3 do
  local value = redis.call('get', KEYS[i])
  local isMine = value and string.sub(value, 1, #ARGV[1]) == ARGV[1]
  if isMine then
    mine, all = mine + 3, { 'yours', string.sub(value, #ARGV[1] + 2), tostring(redis.call('pttl', KEYS[i])) }
  elseif value or redis.call('exists', KEYS[i + 2]) == 1 then
    local foreign = (value and string.sub(value, 1, 4) ~= 'hf1-') and '1' or '0'
    return { 'busy', tostring(redis.call('pttl', KEYS[i])), foreign }
  end
  local last = redis.call('zrange', KEYS[i + 1], 0, 0, 'withscores')[2]
  token = math.max(token, (tonumber(last) or 0) + 1)
end
if mine == #KEYS then return all end
token = string.format('%.0f', token)
for i = 1, #KEYS, 3 do
  if redis.call('zadd', KEYS[i + 1], token, 'alone') == 1 then
    redis.call('zrem', KEYS[i + 1], 'queued')
    redis.call('pexpire', KEYS[i + 1], 86400000)
  end
end
-- The locks last: a script that is refused half-way (memory, rights) leaves nobody holding one.
for i = 1, #KEYS, 3 do redis.call('set', KEYS[i], ARGV[1] .. ':' .. token, 'px', ARGV[2]) end
return { 'granted', token, ARGV[2] }
