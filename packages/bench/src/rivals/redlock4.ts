/// <reference path="./untyped.d.ts" />
import type { Redis } from 'ioredis';
import type { Settings } from 'redlock';
import { ioredisOf } from '../clients.ts';
import { type Contender, type Lock, TTL_MS } from './contender.ts';
import { SHORT_RETRIES } from './redlock5.ts';

async function open(clients: readonly Redis[], ttlMs: number, settings?: Partial<Settings>): Promise<Lock> {
  const { default: Redlock } = await import('redlock4');
  const redlock = new Redlock([...clients], settings);
  redlock.on('clientError', () => {});
  return {
    async acquire(name) {
      const lock = await redlock.lock(name, ttlMs);
      return () => lock.unlock();
    },
  };
}

const common = {
  role: 'rival',
  package: 'redlock4',
  on: ['ioredis5', 'ioredis6'],
  commands: { evalsha: 1 },
} as const;

export const redlock4: Contender = {
  ...common,
  id: 'redlock4',
  label: 'redlock 4',
  lock: (client, { ttlMs }) => open([ioredisOf(client)], ttlMs),
  quorum: (nodes) => open(nodes, TTL_MS),
};

export const redlock4Best: Contender = {
  ...common,
  id: 'redlock4-best',
  label: 'redlock 4, retries 10 ms',
  onlyWaiting: true,
  lock: (client, { ttlMs }) => open([ioredisOf(client)], ttlMs, SHORT_RETRIES),
  quorum: (nodes) => open(nodes, TTL_MS, SHORT_RETRIES),
};
