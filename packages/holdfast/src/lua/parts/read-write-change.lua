-- Changes of a lease that is held: its end and its token stay. Needs what `read-write-state` gives.
local function change(holder, from, to, endsUs)
  redis.call('zrem', KEYS[1], holder .. ' ' .. from, '^' .. holder)
  weight = weight + weights[to] - weights[from]
  redis.call('zadd', KEYS[1], endsUs, holder .. ' ' .. to, weight, '#weight')
end

-- Nobody else holds it but one that may upgrade.
local function alone()
  return weight <= weights.u
end

-- Returns the token of the writer that it is now.
local function upgrade(holder, mode, endsUs, number)
  change(holder, mode, 'w', endsUs)
  local token = nextToken()
  redis.call('zadd', KEYS[1], -token, '^' .. holder, number, '+' .. holder, -token, '#token')
  return token
end

-- The mode and the end of the lease that this attempt may make a writer; nothing when it is gone, or the attempt is over.
local function upgradeable(holder, token, number)
  local mode, endsUs, its = find(holder)
  if not mode or mode == 'r' or endsUs <= nowUs or its ~= token then return nil end
  local last = tonumber(redis.call('zscore', KEYS[1], '+' .. holder)) or 0
  if tonumber(number) >= last then return mode, endsUs, tonumber(number) == last end
end
