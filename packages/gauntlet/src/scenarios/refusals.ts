/** The server is there and refuses: out of memory, read-only, loading, without rights; or it throws keys away to make room. */
import { eventually, type RedisProcess } from '@holdfast/testkit';
import { type ContestPlan, contest } from '../arena/contest.ts';
import { type StageOptions, stageOf } from '../arena/stage.ts';
import { aLeaseAndReconnect, type Fault } from '../faults/fault.ts';
import { type Outcome, outcomeOf, type Scenario } from './scenario.ts';

const FINE = ['ConnectionError', 'AcquireTimeoutError', 'ServerRefusedError'];
/** An outage may outlast the deadline of a release. */
const REFUSED = ['ConnectionError', 'ServerRefusedError'];
const CREW = { workers: 5, lanes: 3, fine: FINE } as const;

const FILLING = 3_000;
const VALUE = 'x'.repeat(2_000);

/** Keys with an expiry go first, and a lock is one. */
const evict: Fault = {
  what: 'eviction (volatile-lru)',
  graceMs: aLeaseAndReconnect,
  alone: true,
  erasing: true,
  async strike({ servers }) {
    for (const server of servers)
      await server.pipeline(
        Array.from({ length: FILLING }, (_, i) => ['SET', `fill:${i}`, VALUE, 'EX', '60']),
      );
    return {};
  },
};

const KEYS = 8_000;
/** Until the slowest client is connected again. */
const BACK_MS = 3_000;

async function fill(server: RedisProcess): Promise<void> {
  await server.pipeline(Array.from({ length: KEYS }, (_, i) => ['SET', `many:${i}`, 'x']));
}

/** It answers, but only that it is loading its data. */
const load: Fault = {
  what: 'LOADING for seconds after a restart',
  graceMs: () => BACK_MS,
  alone: true,
  async strike({ servers }) {
    for (const server of servers) {
      await server.kill9();
      await server.start({ until: 'answer' });
      await eventually(() => server.command('PING'), { withinMs: 30_000, what: 'the data are loaded' });
    }
    return {};
  },
};

interface Part {
  readonly what: string;
  readonly stage?: StageOptions;
  readonly filled?: true;
  readonly plan: Omit<ContestPlan, 'workers'>;
  readonly wanted?: Readonly<Record<string, number>>;
}

const parts: readonly Part[] = [
  {
    what: 'out of memory; releases and renewals still work',
    plan: { planned: { outOfMemory: 20 }, durationMs: 6_500 },
    wanted: { outOfMemory: 20 },
  },
  { what: 'read-only', plan: { planned: { readOnly: 5 }, durationMs: 3_500 }, wanted: { readOnly: 5 } },
  {
    what: 'without rights to the keys',
    plan: {
      planned: { noPermission: 5 },
      durationMs: 3_500,
      fineReleases: REFUSED,
    },
    wanted: { noPermission: 5 },
  },
  {
    what: 'loading',
    stage: { appendonly: true, lines: ['key-load-delay 100'] },
    filled: true,
    plan: {
      ownFaults: { load },
      ownPlanned: { load: 2 },
      durationMs: 7_000,
      waitMs: 10_000,
      fineReleases: REFUSED,
    },
    wanted: { load: 2 },
  },
  {
    what: 'evicting',
    stage: { args: ['--maxmemory', '8mb', '--maxmemory-policy', 'volatile-lru'] },
    plan: { ownFaults: { evict }, ownPlanned: { evict: 4 }, durationMs: 3_500 },
    wanted: { evict: 3 },
  },
];

async function run({ what, stage, filled, plan, wanted = {} }: Part, seed: number): Promise<Outcome> {
  await using servers = await stageOf(stage);
  if (filled) for (const server of servers.servers) await fill(server);
  const result = await contest(servers, { ...CREW, ...plan }, seed);
  const outcome = outcomeOf({ what, result, wanted });
  return { ...outcome, hits: outcome.hits.map((one) => ({ ...one, fault: titles[one.fault] ?? one.fault })) };
}

const titles: Readonly<Record<string, string>> = { load: load.what, evict: evict.what };

export const refusals: Scenario = {
  id: 'refusals',
  what: 'out of memory, READONLY, no rights, LOADING, eviction',
  onlyFull: true,
  async run({ seed }) {
    const outcomes: Outcome[] = [];
    for (const part of parts) outcomes.push(await run(part, seed));
    return outcomes;
  },
};
