-- Puts a waiter into a queue, behind all others or at its old place. Returns its ticket, and whether it was not there.
local function join(queue, member, ticket, nowUs, queueTtlMs)
  if ticket == '' then
    local tail = tonumber(redis.call('zrange', queue, -1, -1, 'withscores')[2]) or 0
    ticket = string.format('%.0f', math.max(nowUs, tail + 1))
  end
  local isNew = redis.call('zadd', queue, 'nx', ticket, member)
  redis.call('pexpire', queue, queueTtlMs)
  return ticket, tostring(isNew)
end
