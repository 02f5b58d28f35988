-- Which lease has a token, for its release by somebody else. Reads only.
-- KEYS[1] slots
-- ARGV[1] token
-- Returns holderId:token, or '' when it has no slot here
for _, slot in ipairs(redis.call('hgetall', KEYS[1])) do
  local value, token = string.match(slot, '^(hf1%-%S+:(%d+)) %d+$')
  if token == ARGV[1] then return value end
end
return ''
