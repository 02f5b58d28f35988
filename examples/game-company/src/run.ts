/* The whole run: a server, a marketplace, worker processes, four scenes. */
import { type Cleanup, dim, findPlace, type Place, UsageError } from '@holdfast/example-common';
import { Holdfast } from 'holdfast';
import { WorkerProcess } from './crew.ts';
import { Marketplace } from './marketplace.ts';
import type { Result } from './result.ts';
import { ACCOUNTS, LIMIT, PROCESSES, TASKS, TASKS_EACH } from './rules.ts';
import { ending } from './scenes/ending.ts';
import { killed } from './scenes/killed.ts';
import type { Stage } from './scenes/stage.ts';
import { withSemaphore } from './scenes/with-semaphore.ts';
import { withoutSemaphore } from './scenes/without-semaphore.ts';
import type { Screen } from './screen.ts';

export async function run(screen: Screen, cleanup: Cleanup): Promise<Result> {
  cleanup.add(() => screen.close());
  const place = await findPlace('game-company', cleanup);
  if ('why' in place) throw noServer(place.why);
  const startedAt = performance.now();
  const stage = await setUp(place, screen, cleanup);
  const scenes = await playAll(stage);
  const { label: server } = place;
  const numbers = { processes: PROCESSES.length, tasks: TASKS, accounts: ACCOUNTS, limit: LIMIT };
  return { server, ...numbers, ...scenes, tookMs: performance.now() - startedAt };
}

function noServer(why: string): UsageError {
  return new UsageError(
    `This needs a Redis or Valkey server, and none can be had (${why}): install redis-server or valkey-server, or set REDIS_URL.`,
  );
}

async function setUp(place: Place, screen: Screen, cleanup: Cleanup): Promise<Stage> {
  const { redis, url, prefix } = place;
  const marketplace = await Marketplace.open();
  cleanup.add(() => marketplace.close());
  introduce(screen, place, marketplace);
  const holdfast = new Holdfast(redis, { prefix, label: 'game company' });
  cleanup.add(() => holdfast.close());
  const processes = PROCESSES.map((name) => new WorkerProcess(name));
  cleanup.add(() => Promise.all(processes.map((process) => process.kill())));
  await Promise.all(processes.map((each) => each.open({ url, prefix, marketplacePort: marketplace.port })));
  return { processes, marketplace, holdfast, screen };
}

function introduce(screen: Screen, { label, where, data }: Place, { port }: Marketplace): void {
  const crew = `${PROCESSES.length} processes of ${TASKS_EACH}`;
  screen.heading(`A game company: ${TASKS} workers (${crew}) sell in ${ACCOUNTS} accounts`);
  screen.say(
    `   of a marketplace. Its API belongs to somebody else and allows ${LIMIT} calls at once`,
    '   per account. It counts for itself; a few accounts get most of the calls.',
    dim(`   Server: ${label}, ${where}`),
    dim(`           ${data}`),
    dim(`   Marketplace: http://127.0.0.1:${port}, a call takes 10 to 40 ms`),
  );
}

async function playAll(stage: Stage) {
  const [victim] = stage.processes as [WorkerProcess];
  return {
    withoutSemaphore: await withoutSemaphore(stage),
    withSemaphore: await withSemaphore(stage),
    killed: await killed(stage, victim),
    ending: await ending(stage),
  };
}
