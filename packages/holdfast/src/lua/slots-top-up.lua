-- Gives a node that has lost slots its vote back, for a holder that has just renewed them at a majority. A fence never goes down.
-- KEYS[1] permits
-- ARGV[1] value     holderId:token
-- ARGV[2] ttlMs
-- ARGV[3] slots     '3,7'
-- Returns 'topped up'
local time = redis.call('time')
local nowUs = time[1] * 1000000 + time[2]
local limit
--! slots
local holder, token = string.match(ARGV[1], '^([^:]+):(%d+)$')
for slot in string.gmatch(ARGV[3], '%d+') do
  local other, _, ends = slotAt(slot)
  if not other or ends <= nowUs then take(slot, holder, token, ARGV[2]) end
end
return 'topped up'
