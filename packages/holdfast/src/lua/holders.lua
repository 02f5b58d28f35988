-- Who is in the way of somebody who wants a lock, permits or a read-write lock, for finding deadlocks: whole holderIds, which are never shown. Reads only.
-- KEYS[1] main
-- KEYS[2] queue
-- ARGV[1] most       with more holders than this nobody is told of
-- ARGV[2] permits    wanted, or the weight of a read-write lock's mode: when so many are free and nobody waits for them, nobody is in the way; '' = all holders
-- Returns {holderId, …} of leases that have not ended, or 'unknown' (too many, or another library's lock)
local kind = redis.call('type', KEYS[1]).ok
local most = tonumber(ARGV[1])
if kind == 'none' then return {} end
if kind == 'string' then
  local holder = string.match(redis.call('get', KEYS[1]), '^(hf1%-[^:]+):')
  return holder and { holder } or 'unknown'
end
local time = redis.call('time')
local nowUs = time[1] * 1000000 + time[2]
local holders, seen, held, limit = {}, {}, 0, nil
local weights = { r = 1, u = 1048576, w = 2097151 }
local function add(holder, permits)
  held = held + permits
  if not seen[holder] then holders[#holders + 1] = holder end
  seen[holder] = true
end
if kind == 'zset' then
  limit = redis.call('zscore', KEYS[1], '#limit') or weights.w
  local leases = redis.call('zrange', KEYS[1], string.format('(%.0f', nowUs), '+inf', 'byscore', 'limit', 0, most + 1)
  for _, lease in ipairs(leases) do
    local holder, permits = string.match(lease, '^(hf1%-%S+) (%w+)$')
    if holder then add(holder, tonumber(permits) or weights[permits]) end
  end
elseif kind == 'hash' then
  limit = string.match(redis.call('hget', KEYS[1], 'limit') or '', '^%d+')
  for _, slot in ipairs(redis.call('hgetall', KEYS[1])) do
    local holder, ends = string.match(slot, '^(hf1%-%S+):%d+ (%d+)$')
    if holder and tonumber(ends) > nowUs then add(holder, 1) end
  end
else
  return 'unknown'
end
if #holders > most then return 'unknown' end
local wanted = tonumber(ARGV[2])
if wanted and limit and held + wanted <= tonumber(limit) and redis.call('exists', KEYS[2]) == 0 then return {} end
return holders
