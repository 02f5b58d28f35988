-- Needs what `read-write-state` gives.

-- Drops leases that have ended, at most 500 a call. Returns whether there may be more.
local function dropEnded()
  local ended = redis.call('zrange', KEYS[1], 1e12, nowUs, 'byscore', 'limit', 0, 500)
  for _, member in ipairs(ended) do leave(string.match(member, '^(%S+) (%a)$')) end
  return #ended == 500
end

-- In how many ms the first lease ends, but for this one; -1: there is none.
local function nextEndMs(except)
  local ends = redis.call('zrange', KEYS[1], 1e12, '+inf', 'byscore', 'limit', 0, 2, 'withscores')
  local i = ends[1] == except and 4 or 2
  return ends[i] and math.ceil((ends[i] - nowUs) / 1000) or -1
end
