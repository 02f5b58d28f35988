-- Who holds a lock or a semaphore's permits now, for finding deadlocks: whole holderIds, which are never shown. Reads only.
-- KEYS[1] main
-- ARGV[1] most       with more holders than this nobody is told of
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
local holders, seen = {}, {}
local function add(holder)
  if holder and not seen[holder] then holders[#holders + 1] = holder end
  seen[holder or ''] = true
end
if kind == 'zset' then
  local leases = redis.call('zrange', KEYS[1], string.format('(%.0f', nowUs), '+inf', 'byscore', 'limit', 0, most + 1)
  for _, lease in ipairs(leases) do add(string.match(lease, '^(hf1%-%S+) %d+$')) end
elseif kind == 'hash' then
  for _, slot in ipairs(redis.call('hgetall', KEYS[1])) do
    local holder, ends = string.match(slot, '^(hf1%-%S+):%d+ (%d+)$')
    if holder and tonumber(ends) > nowUs then add(holder) end
  end
else
  return 'unknown'
end
return #holders > most and 'unknown' or holders
