/**
 * An abort at every point at which an acquire can be: each command and each reply of it, the abort and the release of the one in its way are put
 * into an order by fast-check's scheduler. Whatever the order, nothing is left, and whoever comes next has the lock at once.
 */
import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, type RedisProcess } from '@holdfast/testkit';
import fc from 'fast-check';
import { Holdfast } from 'holdfast';
import { Gate } from '../arena/gate.ts';
import { stageOf } from '../arena/stage.ts';
import type { Violation } from '../check/violation.ts';
import type { ClientKind } from '../place.ts';
import { connectTo } from '../worker/connect.ts';
import type { Outcome, Scenario } from './scenario.ts';

const SCHEDULES = { fast: 300, full: 1_000 };
const CLIENTS = ['ioredis 5', 'node-redis 6'] as const satisfies readonly ClientKind[];
/** The lock is free, or nobody is in the way for longer than this. */
const FREE_MS = 250;
const TTL_MS = 2_000;

interface Parts {
  readonly server: RedisProcess;
  readonly gate: Gate;
  /** Through the gate. */
  readonly ours: Holdfast;
  /** Straight to the server. */
  readonly others: Holdfast;
}

interface Draw {
  readonly scheduler: fc.Scheduler;
  readonly kind: 'lock' | 'semaphore';
  readonly held: boolean;
}

let names = 0;
/** The orders that came up. */
const orders = new Set<string>();
/** So long what is under way gets to arrive, before the next of what has arrived is let through. */
const ARRIVE_MS = 1;

/** Lets one after the other through, in the scheduler's order, until it has settled. */
async function until(settled: Promise<unknown>, scheduler: fc.Scheduler): Promise<void> {
  let over = false;
  const end = () => {
    over = true;
  };
  settled.then(end, end);
  while (!over) {
    await sleep(ARRIVE_MS);
    if (scheduler.count() > 0) await scheduler.waitOne();
  }
  orders.add(
    scheduler
      .report()
      .map(({ label }) => label)
      .join(', '),
  );
  await settled;
}

const subject = (holdfast: Holdfast, kind: Draw['kind'], name: string) =>
  kind === 'lock'
    ? holdfast.lock(name, { ttlMs: TTL_MS })
    : holdfast.semaphore(name, { ttlMs: TTL_MS, limit: 1 });

async function abortSomewhere(parts: Parts, { scheduler, kind, held }: Draw): Promise<void> {
  const name = `gauntlet:abort:${++names}`;
  const inTheWay = held ? await subject(parts.others, kind, name).acquire() : undefined;
  const controller = new AbortController();
  const { signal } = controller;
  parts.gate.keep((what, pass) => void scheduler.schedule(Promise.resolve(), what).then(pass));
  void scheduler.schedule(Promise.resolve(), 'abort').then(() => controller.abort());
  const released = scheduler.schedule(Promise.resolve(), 'release').then(() => inTheWay?.release());
  const asking = subject(parts.ours, kind, name).acquire({ waitMs: TTL_MS, signal });
  const ended = asking.then(
    (lease) => lease.release(),
    (error) => {
      if (error !== signal.reason) throw error;
    },
  );
  await until(Promise.all([ended, released]), scheduler);
  parts.gate.open();
  await nothingLeft(parts, { kind, name, signal });
}

interface Over {
  readonly kind: Draw['kind'];
  readonly name: string;
  readonly signal: AbortSignal;
}

async function nothingLeft({ server, others }: Parts, { kind, name, signal }: Over): Promise<void> {
  const listeners = getEventListeners(signal, 'abort').length;
  if (listeners > 0) throw new Error(`${listeners} listeners are left on the signal`);
  const next = await subject(others, kind, name).acquire({ waitMs: FREE_MS });
  await next.release();
  const keys = [`holdfast:{${name}}:queue:`, `holdfast:{${name}}:waiters:`];
  // A semaphore's own key stays: that its permit is free the acquire has shown.
  if (kind === 'lock') keys.push(name);
  const left = async () => Number(await server.command('EXISTS', ...keys)) === 0;
  await eventually(left, { withinMs: 1_000, everyMs: 2, what: 'nobody holds it and nobody waits for it' });
}

interface Runs {
  readonly seed: number;
  readonly numRuns: number;
}

async function schedules(
  client: ClientKind,
  server: RedisProcess,
  { seed, numRuns }: Runs,
): Promise<Violation[]> {
  await using gate = await Gate.before(server.port);
  const near = await connectTo({ kind: 'single', ports: [server.port] }, client);
  const far = await connectTo({ kind: 'single', ports: [gate.port] }, client);
  const [others, ours] = [new Holdfast(near.client), new Holdfast(far.client)];
  const draws = fc.record({
    scheduler: fc.scheduler(),
    kind: fc.constantFrom('lock' as const, 'semaphore' as const),
    held: fc.boolean(),
  });
  const property = fc.asyncProperty(draws, (draw) => abortSomewhere({ server, gate, ours, others }, draw));
  const { failed, counterexample, errorInstance } = await fc.check(property, {
    seed,
    numRuns,
    endOnFailure: true,
  });
  gate.open();
  for (const part of [ours, others]) await part.close();
  for (const part of [far, near]) await part.end();
  if (!failed) return [];
  return [{ check: 'C8', text: `${client}: ${errorInstance}, in ${fc.stringify(counterexample)}` }];
}

export const abort: Scenario = {
  id: 'abort',
  what: 'an abort at every point of an acquire',
  async run({ full, seed }) {
    await using stage = await stageOf();
    const [server] = stage.servers;
    if (server === undefined) throw new Error('there is no server');
    const wanted = full ? SCHEDULES.full : SCHEDULES.fast;
    const runs = { seed, numRuns: wanted / CLIENTS.length };
    const violations: Violation[] = [];
    for (const client of CLIENTS) violations.push(...(await schedules(client, server, runs)));
    const outcome: Outcome = {
      what: 'locks and semaphores, free and held',
      hits: [{ fault: 'abort, in an order drawn by fast-check', hits: names, wanted }],
      acquisitions: names,
      violations,
      explained: 0,
      largestHandOverMs: undefined,
      notes: [`${orders.size} different orders`],
    };
    return [outcome];
  },
};
