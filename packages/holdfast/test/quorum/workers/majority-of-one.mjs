/** The control: a lock on several servers that takes one of them for enough. */
import { randomUUID } from 'node:crypto';

const RELEASE = "return redis.call('get', KEYS[1]) == ARGV[1] and redis.call('del', KEYS[1]) or 0";

export function majorityOfOne(clients, name, { ttlMs }) {
  async function tryAcquire() {
    const value = randomUUID();
    const until = performance.now() + ttlMs;
    const fencingToken = Date.now() * 1000;
    const votes = await Promise.all(
      clients.map((client) => client.set(name, value, 'PX', ttlMs, 'NX').catch(() => null)),
    );
    if (!votes.includes('OK')) return undefined;
    const release = async () => {
      await Promise.all(clients.map((client) => client.eval(RELEASE, 1, name, value).catch(() => 0)));
      return 'released';
    };
    return { fencingToken, release, remainingMs: () => Math.max(0, until - performance.now()) };
  }
  return { tryAcquire, acquire: tryAcquire };
}
