-- Sets the end of slots that are still this holder's. Never creates one.
-- KEYS[1] permits
-- ARGV[1] value     holderId:token
-- ARGV[2] ttlMs
-- Returns the slots: '3,7'
local time = redis.call('time')
local nowUs = time[1] * 1000000 + time[2]
local limit
--! slots
local holder, token = string.match(ARGV[1], '^([^:]+):(%d+)$')
local renewed = {}
for slot in slotsOf(holder) do
  local _, its, ends = slotAt(slot)
  if its == token and ends > nowUs then
    take(slot, holder, token, ARGV[2])
    renewed[#renewed + 1] = slot
  end
end
return table.concat(renewed, ',')
