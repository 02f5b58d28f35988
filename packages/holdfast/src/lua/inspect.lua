-- Who holds the lock, for people: the client part of the holderId only, never the secret one. Reads only.
-- KEYS[1] lock
-- KEYS[2] fence
-- KEYS[3] queue
-- Returns {state ('free', 'ours' or 'foreign'), clientId, remainingMs, token, queueLength, nowUs, {clientId, ticket, …} (the first 100)};
-- all strings
--! fence
local value = redis.call('get', KEYS[1])
local state, clientId, token = 'free', '', ''
if value then
  clientId, token = string.match(value, '^hf1%-[%w_-]+%.([%w_-]+):(%d+)$')
  state = clientId and 'ours' or 'foreign'
else
  local last = lastToken()
  token = last and string.format('%.0f', last)
end
local waiters = {}
local queued = redis.call('zrange', KEYS[3], 0, 99, 'withscores')
for i = 1, #queued, 2 do
  waiters[i], waiters[i + 1] = string.match(queued[i], '^[^.]+%.(%S+) ') or '', queued[i + 1]
end
return {
  state,
  clientId or '',
  tostring(redis.call('pttl', KEYS[1])),
  token or '',
  tostring(redis.call('zcard', KEYS[3])),
  string.format('%.0f', now()),
  waiters,
}
