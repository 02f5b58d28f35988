/** The floor: the two commands that Redis documents for a lock, on the same client, with nothing around them. */
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Client } from '../clients.ts';
import type { Contender, Lock, Semaphore } from './contender.ts';

const sha1 = (body: string) => createHash('sha1').update(body).digest('hex');
const RELEASE = `if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) else return 0 end`;
const ADD = `return redis.call('zadd',KEYS[1],ARGV[1],ARGV[2])`;
const REMOVE = `return redis.call('zrem',KEYS[1],ARGV[1])`;
const [RELEASE_SHA, ADD_SHA, REMOVE_SHA] = [RELEASE, ADD, REMOVE].map(sha1) as [string, string, string];
const POLL_MS = 1;

const TOKEN_BYTES = 16;
let pool = Buffer.alloc(0);

/** From a pool: 16 random bytes at a time cost as much as all the rest that the floor does in this process. */
function newToken(): string {
  if (pool.length === 0) pool = randomBytes(256 * TOKEN_BYTES);
  const token = pool.toString('base64url', 0, TOKEN_BYTES);
  pool = pool.subarray(TOKEN_BYTES);
  return token;
}

interface Bare {
  load(script: string): Promise<unknown>;
  set(name: string, token: string, ttlMs: number): Promise<unknown>;
  run(sha: string, name: string, args: string[]): Promise<unknown>;
}

function bareOf(client: Client): Bare {
  if (client.kind === 'node-redis') {
    const { redis } = client;
    return {
      load: (script) => redis.scriptLoad(script),
      set: (name, token, ttlMs) => redis.set(name, token, { PX: ttlMs, NX: true }),
      run: (sha, name, args) => redis.evalSha(sha, { keys: [name], arguments: args }),
    };
  }
  return bareOfIoredis(client.redis);
}

const bareOfIoredis = (redis: Redis): Bare => ({
  load: (script) => redis.script('LOAD', script),
  set: (name, token, ttlMs) => redis.set(name, token, 'PX', ttlMs, 'NX'),
  run: (sha, name, args) => redis.evalsha(sha, 1, name, ...args),
});

async function lock(client: Client, ttlMs: number, polling: boolean): Promise<Lock> {
  const bare = bareOf(client);
  await bare.load(RELEASE);
  return {
    async acquire(name) {
      const token = newToken();
      while ((await bare.set(name, token, ttlMs)) !== 'OK') {
        if (!polling) throw new Error('the floor was refused');
        await sleep(POLL_MS);
      }
      return () => bare.run(RELEASE_SHA, name, [token]);
    },
  };
}

/** Sent to all nodes in parallel, all replies awaited. */
async function quorum(nodes: readonly Redis[], ttlMs: number): Promise<Lock> {
  const bares = nodes.map(bareOfIoredis);
  await Promise.all(bares.map((bare) => bare.load(RELEASE)));
  return {
    async acquire(name) {
      const token = newToken();
      const answers = await Promise.all(bares.map((bare) => bare.set(name, token, ttlMs)));
      if (answers.some((answer) => answer !== 'OK')) throw new Error('the floor was refused');
      return () => Promise.all(bares.map((bare) => bare.run(RELEASE_SHA, name, [token])));
    },
  };
}

async function semaphore(client: Client, ttlMs: number): Promise<Semaphore> {
  const bare = bareOf(client);
  for (const script of [ADD, REMOVE]) await bare.load(script);
  const acquire = async (name: string) => {
    const token = newToken();
    await bare.run(ADD_SHA, name, [String(Date.now() + ttlMs), token]);
    return () => bare.run(REMOVE_SHA, name, [token]);
  };
  return { acquire, tryAcquire: acquire };
}

/** `semaphore`: two scripts with one ZADD and one ZREM, and no limit. */
export const floor: Contender = {
  id: 'floor',
  label: 'bare commands',
  role: 'floor',
  on: ['ioredis5', 'ioredis6', 'node-redis'],
  commands: { set: 1, evalsha: 1 },
  lock: (client, { ttlMs }) => lock(client, ttlMs, false),
  quorum: (nodes) => quorum(nodes, 10_000),
  semaphore: (client, { ttlMs }) => semaphore(client, ttlMs),
};

/** As locks are made by hand; there is no order among those that wait. */
export const polling: Contender = {
  id: 'polling',
  label: 'bare commands, asked again every 1 ms',
  role: 'floor',
  onlyWaiting: true,
  on: ['ioredis5', 'ioredis6', 'node-redis'],
  commands: { set: 1, evalsha: 1 },
  lock: (client, { ttlMs }) => lock(client, ttlMs, true),
};
