import type { Redis } from 'ioredis';
import type { Settings } from 'redlock';
import { ioredisOf } from '../clients.ts';
import { type Contender, type Lock, TTL_MS } from './contender.ts';
import { opened, singleTries } from './redlock-opened.ts';
import { SHORT_RETRIES } from './redlock5.ts';

async function open(clients: readonly Redis[], ttlMs: number, settings?: Partial<Settings>): Promise<Lock> {
  const { Redlock } = await import('@sesamecare-oss/redlock');
  return opened(new Redlock([...clients], settings), ttlMs);
}

const common = {
  role: 'rival',
  package: '@sesamecare-oss/redlock',
  on: ['ioredis5', 'ioredis6'],
  commands: { evalsha: 1 },
} as const;

export const sesamecare: Contender = {
  ...common,
  id: 'sesamecare',
  label: '@sesamecare-oss/redlock',
  lock: (client, { ttlMs }) => open([ioredisOf(client)], ttlMs),
  quorum: (nodes) => open(nodes, TTL_MS),
};

export const sesamecareBest: Contender = {
  ...common,
  id: 'sesamecare-best',
  label: '@sesamecare-oss/redlock, retries 10 ms',
  onlyWaiting: true,
  lock: (client, { ttlMs }) => open([ioredisOf(client)], ttlMs, SHORT_RETRIES),
  quorum: async (nodes) => singleTries(await open(nodes, TTL_MS, { retryCount: 0 })),
};
