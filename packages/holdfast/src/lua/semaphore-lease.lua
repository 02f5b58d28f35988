-- Which lease has a token, for its release by somebody else. Reads only.
-- KEYS[1] permits
-- ARGV[1] token
-- Returns {holderId, permits}, or {} when there is none; all strings
for _, member in ipairs(redis.call('zrange', KEYS[1], '-' .. ARGV[1], '-' .. ARGV[1], 'byscore')) do
  local holder = string.match(member, '^=(%S+)$')
  local from = 0
  while holder and from do
    local leases = redis.call('zrange', KEYS[1], 1e12, '+inf', 'byscore', 'limit', from, 1000)
    for _, lease in ipairs(leases) do
      local whose, permits = string.match(lease, '^(%S+) (%d+)$')
      if whose == holder then return { holder, permits } end
    end
    from = #leases == 1000 and from + 1000
  end
end
return {}
