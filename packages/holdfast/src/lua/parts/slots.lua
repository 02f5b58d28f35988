-- A semaphore at one node of a quorum: one hash, so that it is lost as a whole or not at all.
--   slot        holderId:token endsUs       (a number below the limit; ends by this server's clock)
--   f slot      its fence: the greatest stamp that was accepted for it
--   =holderId   the slots it has here: ,3,7,
--   limit       limit stamp;  high: no slot from there on is held
-- Needs `nowUs`, and `limit` (a number or nil).
local function parsed(text)
  if not text then return nil, nil, 0 end
  local holder, token, ends = string.match(text, '^(%S+):(%d+) (%d+)$')
  return holder, token, tonumber(ends)
end

local function slotAt(slot)
  return parsed(redis.call('hget', KEYS[1], slot))
end

local function index(holder, slot, has)
  local list = redis.call('hget', KEYS[1], '=' .. holder) or ','
  list = (string.gsub(list, ',' .. slot .. ',', ',')) .. (has and slot .. ',' or '')
  if list == ',' then
    redis.call('hdel', KEYS[1], '=' .. holder)
  else
    redis.call('hset', KEYS[1], '=' .. holder, list)
  end
end

local function drop(slot, holder)
  redis.call('hdel', KEYS[1], slot)
  index(holder, slot, false)
end

local function fenceOf(slot)
  return tonumber(redis.call('hget', KEYS[1], 'f' .. slot) or 0)
end

-- For 26 hours, which outlives every lease; after setLimit for 30 days.
local function keep()
  if redis.call('pttl', KEYS[1]) < 90000000 then redis.call('pexpire', KEYS[1], 93600000) end
end

local function take(slot, holder, token, leaseMs)
  local before = slotAt(slot)
  if before and before ~= holder then index(before, slot, false) end
  redis.call('hset', KEYS[1], slot, string.format('%s:%s %.0f', holder, token, nowUs + leaseMs * 1000))
  if tonumber(token) > fenceOf(slot) then redis.call('hset', KEYS[1], 'f' .. slot, token) end
  index(holder, slot, true)
  keep()
end

local function slotsOf(holder)
  return string.gmatch(redis.call('hget', KEYS[1], '=' .. holder) or '', '%d+')
end

-- The slots that are free, or this holder's; and in how many ms the first of the others ends (-1: there is none).
-- After the limit was lowered there are none until those above it have left: each of them has a majority, so every later
-- majority meets a node that says no.
local function freeFor(holder)
  local free, firstUs = {}, nil
  local high = tonumber(redis.call('hget', KEYS[1], 'high') or limit)
  local blocked, names = false, {}
  for slot = 0, math.max(limit, high) - 1 do names[slot + 1] = slot end
  local texts = redis.call('hmget', KEYS[1], unpack(names))
  for slot = 0, #names - 1 do
    local other, _, ends = parsed(texts[slot + 1])
    if other and other ~= holder and ends > nowUs then
      firstUs = math.min(firstUs or ends, ends)
      blocked = blocked or slot >= limit
    elseif slot < limit then
      free[#free + 1] = slot
    end
  end
  if blocked then free = {} elseif high > limit then redis.call('hset', KEYS[1], 'high', limit) end
  return free, firstUs and math.ceil((firstUs - nowUs) / 1000) or -1
end
