import { type RedisProcess, startServer } from '@holdfast/testkit';
import { type Client, connect } from '../../clients.ts';
import { type Row, rowOf, type Settings, type Table } from '../../part.ts';
import type { Contender, Semaphore } from '../../rivals/contender.ts';
import { alone } from '../../rivals/index.ts';
import { commandUs, resetStats } from '../../server-use.ts';
import { median } from '../../stats.ts';
import { flat, sizeColumn } from './sizes.ts';

const LIMIT = 1_000_000;
/** Nobody renews, and nothing ends, while it is measured. */
const TTL_MS = 3_600_000;
const BATCH = 1_000;

interface Holding {
  readonly contender: Contender;
  readonly semaphore: Semaphore;
  readonly client: Client;
  readonly serverUs: Map<number, number[]>;
}

const nameOf = ({ id }: Contender, size: number) => `bench:leases:${id}:${size}`;

async function open(server: RedisProcess, contender: Contender): Promise<Holding> {
  const client = await connect('ioredis5', server.port);
  const semaphore = await contender.semaphore?.(client, { ttlMs: TTL_MS, limit: LIMIT, renew: false });
  if (semaphore === undefined) throw new Error('has no semaphore');
  return { contender, semaphore, client, serverUs: new Map() };
}

async function hold({ contender, semaphore }: Holding, size: number): Promise<void> {
  for (let held = 0; held < size; held += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, size - held) }, () =>
      semaphore.acquire(nameOf(contender, size)),
    );
    await Promise.all(batch);
  }
}

/** One more lease and its release, again and again, with so many held. */
async function measure(server: RedisProcess, holding: Holding, size: number, pairs: number): Promise<void> {
  const { contender, semaphore, serverUs } = holding;
  await resetStats(server);
  for (let i = 0; i < pairs; i++) await (await semaphore.tryAcquire(nameOf(contender, size)))?.();
  const us = (await commandUs(server, { evalsha: 1 })) / pairs;
  serverUs.set(size, [...(serverUs.get(size) ?? []), us]);
}

export async function leasesTable({ quick, progress }: Settings): Promise<Table> {
  const sizes = quick ? [10, 1_000] : [10, 100, 1_000, 10_000, 100_000];
  await using server = await startServer();
  const all: Holding[] = [];
  for (const contender of alone.filter(({ semaphore, role }) => semaphore && role !== 'floor')) {
    const holding = await open(server, contender);
    for (const size of sizes) {
      progress(`${contender.label}, ${size} leases`);
      await hold(holding, size);
    }
    all.push(holding);
  }
  for (let round = 0; round < (quick ? 2 : 9); round++)
    for (const holding of all)
      for (const size of sizes) await measure(server, holding, size, quick ? 30 : 300);
  const rows = all.map(({ contender, serverUs }): Row => {
    const figures = sizes.map((size) => [size, median(serverUs.get(size) ?? [])]);
    return rowOf(contender, Object.fromEntries(figures));
  });
  for (const { client } of all) client.close();
  return {
    id: 'growth-leases',
    title: 'Server time of tryAcquire + release in µs, by the number of leases held on one semaphore',
    columns: sizes.map((size) => sizeColumn(size, 1)),
    rows,
    aims: [flat('server time, leases of a semaphore', rows, sizes)],
    notes: [],
  };
}
