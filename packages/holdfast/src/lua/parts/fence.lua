-- The fencing token: max(last + 1, microseconds since the epoch). The fence key holds the last one as the score of its
-- only member: 'alone' certifies that nobody waits (then a plain ZADD may raise it, see store/plain-pair.ts), 'queued' does not.
local function now()
  local time = redis.call('time')
  return time[1] * 1000000 + time[2]
end

local function lastToken()
  return tonumber(redis.call('zrange', KEYS[2], 0, 0, 'withscores')[2])
end

local function nextToken(nowUs)
  return string.format('%.0f', math.max(nowUs, (lastToken() or 0) + 1))
end

local function keepToken(token, member, other)
  if redis.call('zadd', KEYS[2], token, member) == 1 then
    redis.call('zrem', KEYS[2], other)
    redis.call('pexpire', KEYS[2], 86400000)
  end
end
