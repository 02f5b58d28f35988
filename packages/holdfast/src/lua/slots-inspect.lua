-- What a semaphore has at this node, for people: never the secret part of a holderId. Reads only.
-- KEYS[1] permits
-- KEYS[2] waiters
-- Returns {nowUs, limit or '', queueLength, {slot, clientId, token, endsUs, …}, {clientId, permits, ticket, …} (the first 100)}
local time = redis.call('time')
local nowUs = time[1] * 1000000 + time[2]
local limit = string.match(redis.call('hget', KEYS[1], 'limit') or '', '^%d+')
local held, waiters = {}, {}
local all = redis.call('hgetall', KEYS[1])
for i = 1, #all, 2 do
  local clientId, token, ends = string.match(all[i + 1], '^hf1%-[%w_-]+%.([%w_-]+):(%d+) (%d+)$')
  if clientId and tonumber(ends) > nowUs then
    for _, field in ipairs({ all[i], clientId, token, ends }) do held[#held + 1] = field end
  end
end
local first = redis.call('zrange', KEYS[2], 0, 99, 'withscores')
for i = 1, #first, 2 do
  local clientId, permits = string.match(first[i], '^hf1%-[%w_-]+%.([%w_-]+) %d+ (%d+) ')
  for _, field in ipairs({ clientId, permits, first[i + 1] }) do waiters[#waiters + 1] = field end
end
return { string.format('%.0f', nowUs), limit or '', tostring(redis.call('zcard', KEYS[2])), held, waiters }
