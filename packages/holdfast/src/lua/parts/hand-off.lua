-- Makes the first waiter whose process still listens the holder. Whoever does not is dropped: PUBLISH reached nobody.
-- 'given', 'self' (the caller was first), 'empty', 'more' (bound reached, call again), 'mute' (no right to PUBLISH).
local function handOff(nowUs, self)
  local token = nextToken(nowUs)
  for _ = 1, 500 do
    local first = redis.call('zpopmin', KEYS[3])
    if not first[1] then return 'empty' end
    local holder, leaseMs, kind, channel = string.match(first[1], '^(%S+) (%d+) ([ps]) (.*)$')
    if holder == self then return 'self' end
    local grant = table.concat({ holder, token, string.format('%.0f', nowUs), leaseMs }, ' ')
    local heard = redis.pcall(kind == 's' and 'spublish' or 'publish', channel, grant)
    if type(heard) == 'table' then
      redis.call('zadd', KEYS[3], first[2], first[1])
      return 'mute'
    end
    if heard > 0 then
      keepToken(token, 'queued', 'alone')
      redis.call('set', KEYS[1], holder .. ':' .. token, 'px', leaseMs)
      return 'given'
    end
  end
  return 'more'
end
