-- Who holds permits and who waits, for people: the client part of a holderId only, never the secret one. Reads only.
-- KEYS[1] permits
-- KEYS[2] waiters
-- ARGV[1] offset     how many leases to pass over, the first to end first
-- ARGV[2] count      how many to tell of
-- Returns {nowUs, limit or '', held, queueLength, {clientId, permits, ticket, …}, {clientId, permits, token, endsUs, slots, …}}; all
-- strings. Leases that have ended are told of and are in held, until somebody drops them.
local time = redis.call('time')
local nowUs = time[1] * 1000000 + time[2]
local limit, held, slots = unpack(redis.call('zmscore', KEYS[1], '#limit', '#held', '#slots'))
if not limit and redis.call('exists', KEYS[1]) == 1 then
  return redis.error_reply('WRONGTYPE a sorted set that is no semaphore')
end
local waiters, leases = {}, {}
local queued = redis.call('zrange', KEYS[2], 0, 99, 'withscores')
for i = 1, #queued, 2 do
  local client, count = string.match(queued[i], '^[^.]+%.(%S+) %d+ (%d+) ')
  for _, field in ipairs({ client, count, queued[i + 1] }) do waiters[#waiters + 1] = field end
end
local ends = redis.call('zrange', KEYS[1], 1e12, '+inf', 'byscore', 'limit', ARGV[1], ARGV[2], 'withscores')
for i = 1, #ends, 2 do
  local whose, client, count = string.match(ends[i], '^([^.]+%.(%S+)) (%d+)$')
  local taken = {}
  for n = 1, slots and tonumber(count) or 0 do
    local at = redis.call('zscore', KEYS[1], '^' .. whose .. ' ' .. n)
    if at then taken[n] = at - 4000000 end
  end
  local its = string.sub(redis.call('zscore', KEYS[1], '=' .. whose), 2)
  for _, field in ipairs({ client, count, its, ends[i + 1], table.concat(taken, ',') }) do leases[#leases + 1] = field end
end
local queueLength = tostring(redis.call('zcard', KEYS[2]))
return { string.format('%.0f', nowUs), limit or '', held or '0', queueLength, waiters, leases }
