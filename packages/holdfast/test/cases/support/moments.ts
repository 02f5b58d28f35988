/** What tests wait for, and what they read off the server. */
import { once } from 'node:events';
import { eventually, type RedisProcess } from '../../../../testkit/src/index.ts';
import type { Holdfast, HoldfastEventName, HoldfastEvents, Lease } from '../../../src/index.ts';

let names = 0;
/** A lock's name that no other test of the file uses. */
export function freshName(): string {
  return `case:${++names}`;
}

export function heard<K extends HoldfastEventName>(holdfast: Holdfast, name: K): Promise<HoldfastEvents[K]> {
  return new Promise((resolve) => {
    holdfast.on(name, function listener(event) {
      holdfast.off(name, listener);
      resolve(event);
    });
  });
}

/** All events of that name from now on. */
export function recorded<K extends HoldfastEventName>(holdfast: Holdfast, name: K): HoldfastEvents[K][] {
  const events: HoldfastEvents[K][] = [];
  holdfast.on(name, (event) => events.push(event));
  return events;
}

/** When (on `performance`'s clock) the signal aborted. */
export async function abortedAt(signal: AbortSignal): Promise<number> {
  if (!signal.aborted) await once(signal, 'abort');
  return performance.now();
}

export async function took<T>(
  work: () => Promise<T>,
): Promise<{ ms: number; result: PromiseSettledResult<T> }> {
  const from = performance.now();
  const [result] = await Promise.allSettled([work()]);
  return { ms: performance.now() - from, result };
}

/** What the call throws, or rejects with; it must not take long. */
export async function errorOf(call: () => unknown): Promise<Error & { code?: string }> {
  const { ms, result } = await took(async () => call());
  if (result.status === 'fulfilled') throw new Error('it did not fail');
  if (ms > 300) throw new Error(`it took ${ms} ms to fail`, { cause: result.reason });
  return result.reason;
}

/** Keeps the event loop from running for `ms`. */
export function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

export const pass = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export async function holderOf(server: RedisProcess, name: string): Promise<string | undefined> {
  const value = await server.command('GET', name);
  return value === null ? undefined : String(value);
}

export async function isHeldBy(server: RedisProcess, lease: Lease): Promise<boolean> {
  return (await holderOf(server, lease.name)) === lease.holderId;
}

export const isFree = async (server: RedisProcess, name: string) =>
  (await server.command('EXISTS', name)) === 0;

export function queueKey(name: string): string {
  return `holdfast:{${name}}:queue:`;
}

export function queued(server: RedisProcess, name: string, count: number): Promise<unknown> {
  return eventually(async () => (await server.command('ZCARD', queueKey(name))) === count, {
    what: `${count} in the queue of ${name}`,
    everyMs: 5,
  });
}

/** How many commands clients and scripts have sent so far, without the kit's own. */
export async function commandsSent(server: RedisProcess): Promise<number> {
  const stats = String(await server.command('INFO', 'commandstats'));
  const calls = [...stats.matchAll(/^cmdstat_(evalsha|eval|publish|subscribe|set|get|info):calls=(\d+)/gm)];
  return calls.reduce((sum, [, , count]) => sum + Number(count), 0);
}

/** All keys but the cards that say which process is which. */
export async function keysLeft(server: RedisProcess): Promise<string[]> {
  const keys = ((await server.command('KEYS', '*')) as unknown[]).map(String);
  return keys.filter((key) => !key.startsWith('holdfast:process:'));
}
