-- A read-write lock's key: one sorted set, so that it is lost as a whole or not at all.
--   holderId mode   when that lease ends, in µs of the server's clock (1e12 and more); r = reads, u = may upgrade, w = writes
--   =holderId       minus its fencing token
--   ^holderId       minus the token of its upgrade, while it writes after one
--   +holderId       the number of its last attempt to upgrade; a half more when that one is over
--   #weight         of all leases;  #token: minus the last fencing token
-- A reader weighs 1, one that may upgrade M, a writer 2M-1, and all together at most 2M-1: so one comparison decides, and nobody
-- walks over readers. Every change of a lease changes #weight in the same step. Needs `nowUs`, `weight`, `lastToken`.
local weights = { r = 1, u = 1048576, w = 2097151 }

local function fits(mode)
  return weight + weights[mode] <= weights.w
end

-- The mode, the end and the token of somebody's lease.
local function find(holder)
  local of = redis.call('zmscore', KEYS[1], holder .. ' r', holder .. ' u', holder .. ' w', '=' .. holder)
  for i, mode in ipairs({ 'r', 'u', 'w' }) do
    if of[i] then return mode, tonumber(of[i]), string.format('%.0f', -of[4]) end
  end
end

-- Fencing token: max(last + 1, microseconds since the epoch).
local function nextToken()
  lastToken = math.max(nowUs, lastToken + 1)
  return string.format('%.0f', lastToken)
end

-- The key lives 26 hours from the first grant of each hour, so it outlives every lease, which lasts 24 at most.
local function take(holder, mode, leaseMs)
  local newHour = math.floor(nowUs / 3600000000) ~= math.floor(lastToken / 3600000000)
  local token = nextToken()
  weight = weight + weights[mode]
  redis.call('zadd', KEYS[1], nowUs + leaseMs * 1000, holder .. ' ' .. mode, -token, '=' .. holder, -token, '#token', weight, '#weight')
  if newHour then redis.call('pexpire', KEYS[1], 93600000) end
  return token
end

-- The removal first, here and below: it is what a server without memory allows, and opens the way for the rest.
local function leave(holder, mode)
  redis.call('zrem', KEYS[1], holder .. ' ' .. mode, '=' .. holder, '^' .. holder, '+' .. holder)
  weight = weight - weights[mode]
  redis.call('zadd', KEYS[1], weight, '#weight')
end
