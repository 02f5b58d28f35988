/// <reference path="./untyped.d.ts" />
import type { Redis } from 'ioredis';
import type { Settings } from 'redlock';
import { ioredisOf } from '../clients.ts';
import { type Contender, type Lock, TTL_MS } from './contender.ts';
import { opened, singleTries } from './redlock-opened.ts';

/** For about as long as Holdfast waits by default. Shorter delays did not do better, and longer ones did worse. */
export const SHORT_RETRIES: Partial<Settings> = { retryCount: 1_000, retryDelay: 10, retryJitter: 10 };

async function open(clients: readonly Redis[], ttlMs: number, settings?: Partial<Settings>): Promise<Lock> {
  const { default: Redlock } = await import('redlock');
  return opened(new Redlock(clients, settings), ttlMs);
}

const common = {
  role: 'rival',
  package: 'redlock',
  on: ['ioredis5', 'ioredis6'],
  commands: { evalsha: 1 },
} as const;

export const redlock5: Contender = {
  ...common,
  id: 'redlock5',
  label: 'redlock 5',
  lock: (client, { ttlMs }) => open([ioredisOf(client)], ttlMs),
  quorum: (nodes) => open(nodes, TTL_MS),
};

export const redlock5Best: Contender = {
  ...common,
  id: 'redlock5-best',
  label: 'redlock 5, retries 10 ms',
  onlyWaiting: true,
  lock: (client, { ttlMs }) => open([ioredisOf(client)], ttlMs, SHORT_RETRIES),
  quorum: async (nodes) => singleTries(await open(nodes, TTL_MS, { retryCount: 0 })),
};
