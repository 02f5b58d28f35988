-- Writes a lease. Needs `nowUs`, `limit`, `held`, `lastToken`, and `fresh`: there was no key.
-- The lowest free slots: while so many permits are free, so many slots below the limit are.
local function takeSlots(holder, permits)
  local taken, slots = {}, tonumber(redis.call('zscore', KEYS[1], '#slots')) or 0
  for i = 1, permits do
    local free = redis.call('zrange', KEYS[1], 2000000, 2999999, 'byscore', 'limit', 0, 1)[1]
    local slot = free and tonumber(string.sub(free, 2)) or slots
    if free then redis.call('zrem', KEYS[1], free) else slots = slots + 1 end
    redis.call('zadd', KEYS[1], 4000000 + slot, '^' .. holder .. ' ' .. i)
    taken[i] = slot
  end
  redis.call('zadd', KEYS[1], slots, '#slots')
  return table.concat(taken, ',')
end

-- Fencing token: max(last + 1, microseconds since the epoch). The key lives 26 hours from the first grant of each hour, so it
-- outlives every lease, which lasts 24 at most. Returns the token and the slots.
local function take(holder, permits, leaseMs, slotted)
  local token = math.max(nowUs, lastToken + 1)
  held = held + permits
  redis.call('zadd', KEYS[1], nowUs + leaseMs * 1000, holder .. ' ' .. permits, -token, '=' .. holder, -token, '#token', held, '#held')
  if fresh then
    redis.call('zadd', KEYS[1], limit, '#limit')
    redis.call('pexpire', KEYS[1], 93600000)
    fresh = false
  elseif math.floor(nowUs / 3600000000) ~= math.floor(lastToken / 3600000000) then
    redis.call('pexpire', KEYS[1], 93600000, 'gt')
  end
  lastToken = token
  return string.format('%.0f', token), slotted == '1' and takeSlots(holder, permits) or ''
end
