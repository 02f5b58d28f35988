-- Makes the first waiter whose process still listens here the holder; the others are dropped. Who listens is asked before
-- the message is sent: PUBLISH also reaches subscribers of replicas, without counting them, and they would think they hold.
-- A waiter of a quorum (kind q, or r for a sharded channel) gets this node's vote with the caller's `stamp`, and holds when a
-- majority gave it the same. Without a stamp above the fence the key is only kept for it for a moment, with token 0, and it is
-- told to ask all nodes.
-- 'given', 'self' (the caller was first), 'empty', 'more' (bound reached, call again), 'mute' (no right to ask or publish;
-- the lock is the caller's to free or take).
local function handOff(nowUs, self, stamp)
  local last = lastToken() or 0
  for _ = 1, 500 do
    local first = redis.call('zpopmin', KEYS[3])
    if not first[1] then return 'empty' end
    local holder, leaseMs, kind, channel = string.match(first[1], '^(%S+) (%d+) ([psqr]) (.*)$')
    if holder == self then return 'self' end
    local sharded = kind == 's' or kind == 'r'
    local answer = redis.pcall('pubsub', sharded and 'shardnumsub' or 'numsub', channel)
    if answer[2] and answer[2] > 0 then
      local token = string.format('%.0f', math.max(nowUs, last + 1))
      if kind == 'q' or kind == 'r' then token = stamp and tonumber(stamp) > last and stamp end
      -- The lock first: a script that is refused half-way must not have told anybody that he holds.
      local message = holder .. ' ask'
      if token then
        keepToken(token, 'queued', 'alone')
        if stamp then redis.call('pexpire', KEYS[2], 172800000) end
        redis.call('set', KEYS[1], holder .. ':' .. token, 'px', leaseMs)
        message = table.concat({ holder, token, string.format('%.0f', nowUs), leaseMs }, ' ')
      else
        redis.call('set', KEYS[1], holder .. ':0', 'px', math.min(leaseMs, 500))
      end
      answer = redis.pcall(sharded and 'spublish' or 'publish', channel, message)
      if type(answer) == 'number' then return 'given' end
    end
    if answer.err then
      redis.call('zadd', KEYS[3], first[2], first[1])
      return 'mute'
    end
  end
  return 'more'
end
