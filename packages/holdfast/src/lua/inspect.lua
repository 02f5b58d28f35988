-- Who holds the lock, for people: the client part of the holderId only, never the secret one. Reads only.
-- KEYS[1] lock
-- KEYS[2] fence
-- KEYS[3] queue
-- Returns {state ('free', 'ours' or 'foreign'), clientId, remainingMs, token, queueLength, nowUs}; all strings
--! fence
local value = redis.call('get', KEYS[1])
local state, clientId = 'free', ''
if value then
  state = string.sub(value, 1, 4) == 'hf1-' and 'ours' or 'foreign'
  if state == 'ours' then clientId = string.match(value, '%.([%w_-]+)$') or '' end
end
local token = lastToken()
return {
  state,
  clientId,
  tostring(redis.call('pttl', KEYS[1])),
  token and string.format('%.0f', token) or '',
  tostring(redis.call('zcard', KEYS[3])),
  string.format('%.0f', now()),
}
