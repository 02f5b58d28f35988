-- Which lease has a token, its own or that of its upgrade, for its release by somebody else. Reads only.
-- KEYS[1] leases
-- ARGV[1] token
-- Returns {holderId, the lease's own token}, or {} when there is none; all strings
for _, member in ipairs(redis.call('zrange', KEYS[1], '-' .. ARGV[1], '-' .. ARGV[1], 'byscore')) do
  local holder = string.match(member, '^[=^](%S+)$')
  local score = holder and redis.call('zscore', KEYS[1], '=' .. holder)
  if score then return { holder, string.sub(score, 2) } end
end
return {}
