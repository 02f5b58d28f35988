-- Gives slots back if they are still this holder's, to the next waiters where their slots are free.
-- KEYS[1] permits
-- KEYS[2] waiters
-- ARGV[1] value       holderId:token, or the holderId alone for all slots of one acquire
-- ARGV[2] stamp       what a waiter gets as its token; '' = nobody is served (see retract.lua)
-- ARGV[3] member      leaves the queue; '' = none
-- ARGV[4] ticket      puts it back at its place instead; '' = no
-- ARGV[5] queueTtlMs
-- Returns 'released', 'given', 'mute' or 'expired'
local time = redis.call('time')
local nowUs = time[1] * 1000000 + time[2]
local limit = tonumber(string.match(redis.call('hget', KEYS[1], 'limit') or '', '^%d+')) or 0
--! slots
--! serve-slots
if ARGV[3] ~= '' then redis.call('zrem', KEYS[2], ARGV[3]) end
local holder, token = string.match(ARGV[1], '^([^:]+):?(%d*)$')
local outcome = 'expired'
for slot in slotsOf(holder) do
  local _, its = slotAt(slot)
  if token == '' or its == token then
    drop(slot, holder)
    outcome = 'released'
  end
end
if ARGV[2] ~= '' and limit > 0 then
  local served, given = serve('', ARGV[2])
  if outcome == 'released' and given > 0 then outcome = 'given' end
  if outcome == 'released' and served == 'mute' then outcome = 'mute' end
end
if ARGV[4] ~= '' then
--! join
  join(KEYS[2], ARGV[3], ARGV[4], nowUs, ARGV[5])
end
return outcome
