-- Runs commands of the caller's if the lease is still this holder's, in one step; the second time that it is sent, nothing.
-- KEYS[1] lock
-- KEYS[2] guard      which guarded call of this lease was the last: 'value number', for as long as the lease lasts
-- KEYS beyond        those of the commands, in their order
-- ARGV[1] value      holderId:token
-- ARGV[2] cooldownMs the lease is over when no more than this is left
-- ARGV[3] number     of this call, from 1
-- ARGV beyond        of each command: its name, how many keys, how many arguments, the arguments
-- Returns {'done', 'ok' or 'error', reply, …} with one pair for each command, or {'lost'}, {'expired'}, {'again'}
local value = redis.call('get', KEYS[1])
if value ~= ARGV[1] then return { value and 'lost' or 'expired' } end
local left = redis.call('pttl', KEYS[1])
if left <= tonumber(ARGV[2]) then return { 'expired' } end
local whose, last = string.match(redis.call('get', KEYS[2]) or '', '^(%S+) (%d+)$')
if whose == ARGV[1] and tonumber(last) >= tonumber(ARGV[3]) then return { 'again' } end
redis.call('set', KEYS[2], ARGV[1] .. ' ' .. ARGV[3], 'px', left)
local replies, key, arg = { 'done' }, 3, 4
while arg <= #ARGV do
  local command = { ARGV[arg] }
  local keys, args = tonumber(ARGV[arg + 1]), tonumber(ARGV[arg + 2])
  for i = key, key + keys - 1 do command[#command + 1] = KEYS[i] end
  for i = arg + 3, arg + 2 + args do command[#command + 1] = ARGV[i] end
  key, arg = key + keys, arg + 3 + args
  local reply = redis.pcall(unpack(command))
  local failed = type(reply) == 'table' and reply.err
  replies[#replies + 1] = failed and 'error' or 'ok'
  replies[#replies + 1] = failed or reply
end
return replies
