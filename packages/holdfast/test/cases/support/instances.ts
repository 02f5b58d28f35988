/** One "process" of the tests: a Holdfast instance with a client of its own. */
import { Redis, type RedisOptions } from 'ioredis';
import { Redis as Redis6 } from 'ioredis6';
import { createClient, type RedisClientOptions } from 'redis';
import { Holdfast, type HoldfastOptions } from '../../../src/index.ts';

export interface Instance<Raw = object> extends AsyncDisposable {
  readonly raw: Raw;
  readonly holdfast: Holdfast;
}

export interface ClientKind {
  readonly name: string;
  /** Does not wait for the server. */
  open(port: number, options?: HoldfastOptions): Instance;
}

export function instance<Raw extends object>(
  raw: Raw,
  end: () => unknown,
  options?: HoldfastOptions,
): Instance<Raw> {
  const holdfast = new Holdfast(raw, options);
  return {
    raw,
    holdfast,
    async [Symbol.asyncDispose]() {
      await holdfast.close();
      await end();
    },
  };
}

export function ioredis(
  port: number,
  options?: HoldfastOptions,
  clientOptions: RedisOptions = {},
): Instance<Redis> {
  const raw = new Redis({ host: '127.0.0.1', port, ...clientOptions });
  raw.on('error', () => {});
  return instance(raw, () => raw.disconnect(), options);
}

function ioredis6(port: number, options?: HoldfastOptions): Instance<Redis6> {
  const raw = new Redis6({ host: '127.0.0.1', port });
  raw.on('error', () => {});
  return instance(raw, () => raw.disconnect(), options);
}

export function nodeRedis(port: number, options?: HoldfastOptions, clientOptions: RedisClientOptions = {}) {
  const raw = createClient({ socket: { host: '127.0.0.1', port }, ...clientOptions });
  raw.on('error', () => {});
  // Its commands wait for the connection; a failure is the test's subject or shows in them.
  raw.connect().catch(() => {});
  return instance(raw, () => raw.isOpen && raw.destroy(), options);
}

export const KINDS: readonly ClientKind[] = [
  { name: 'ioredis', open: ioredis },
  { name: 'ioredis 6', open: ioredis6 },
  { name: 'node-redis', open: nodeRedis },
];

/** Several processes' worth of instances, of both clients, closed together. */
export function several(port: number, count: number) {
  const all = Array.from({ length: count }, (_, i) => (i % 2 ? nodeRedis(port) : ioredis(port)) as Instance);
  return {
    all,
    async [Symbol.asyncDispose]() {
      await Promise.all(all.map((one) => one[Symbol.asyncDispose]()));
    },
  };
}
