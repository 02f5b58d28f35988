-- Who reads, writes and waits, for people: the client part of a holderId only, never the secret one. Reads only.
-- KEYS[1] leases
-- KEYS[2] turns
-- ARGV[1] from       only leases that end then or later, in µs, the first to end first; '(' before it: later
-- ARGV[2] count      how many to tell of
-- Returns {nowUs, queueLength, {clientId, wants, ticket, …}, {clientId, mode, token, upgraded or '', endsUs, …}}; all strings. Leases
-- that have ended are told of, until somebody drops them. An upgrade wants '^'.
local time = redis.call('time')
local nowUs = time[1] * 1000000 + time[2]
if redis.call('exists', KEYS[1]) == 1 and not redis.call('zscore', KEYS[1], '#weight') then
  return redis.error_reply('WRONGTYPE a sorted set that is no read-write lock')
end
local waiters, leases = {}, {}
local queued = redis.call('zrange', KEYS[2], 0, 99, 'withscores')
for i = 1, #queued, 2 do
  local client, wants = string.match(queued[i], '^[^.]+%.(%S+) %d+ (%S+) ')
  for _, field in ipairs({ client, #wants == 1 and wants or '^', queued[i + 1] }) do waiters[#waiters + 1] = field end
end
local ends = redis.call('zrange', KEYS[1], ARGV[1], '+inf', 'byscore', 'limit', 0, ARGV[2], 'withscores')
for i = 1, #ends, 2 do
  local whose, client, mode = string.match(ends[i], '^([^.]+%.(%S+)) (%a)$')
  local tokens = redis.call('zmscore', KEYS[1], '=' .. whose, '^' .. whose)
  local upgraded = tokens[2] and string.sub(tokens[2], 2) or ''
  for _, field in ipairs({ client, mode, string.sub(tokens[1], 2), upgraded, ends[i + 1] }) do leases[#leases + 1] = field end
end
return { string.format('%.0f', nowUs), tostring(redis.call('zcard', KEYS[2])), waiters, leases }
