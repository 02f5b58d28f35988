/* The whole run: a place, workers, four scenes. */

import {
  type Cleanup,
  dim,
  findPlace,
  type MakeStory,
  machineNow,
  type Place,
  Reports,
  type Story,
} from '@holdfast/example-common';
import { Holdfast } from 'holdfast';
import { Board } from './board.ts';
import { boardBlock } from './board-block.ts';
import { NAMES, startTasks, type Worker, WorkerProcess } from './crew.ts';
import type { Report } from './protocol.ts';
import type { Result } from './result.ts';
import { killed } from './scenes/killed.ts';
import { CURRENCY, PRICE, STOCK, type Stage } from './scenes/scene.ts';
import { stopped } from './scenes/stopped.ts';
import { withLock } from './scenes/with-lock.ts';
import { withoutLock } from './scenes/without-lock.ts';
import { MemoryShop, RedisShop } from './shop.ts';

const HOW_TO_GET_ONE = [
  '   To get one: apt install redis-server (or valkey-server), brew install redis,',
  '   or docker run -p 6379:6379 redis and REDIS_URL=redis://localhost:6379.',
];

export async function run(makeStory: MakeStory, cleanup: Cleanup): Promise<Result> {
  const place = await findPlace('first-run', cleanup);
  const startedAt = machineNow();
  const board = new Board();
  const view = makeStory((width) => boardBlock(board, width));
  cleanup.add(() => view.close());
  const measured = 'why' in place ? inMemory(board, view, place.why) : onServer(board, view, place, cleanup);
  const result = { ...(await measured), tookMs: machineNow() - startedAt };
  await view.breathe();
  return result;
}

async function onServer(
  board: Board,
  view: Story,
  place: Place,
  cleanup: Cleanup,
): Promise<Omit<Result, 'tookMs'>> {
  const { redis, prefix, label, where, data } = place;
  introduce(view, `${NAMES.length} worker processes`, `${label}, ${where}`, dim(`           ${data}`));
  const reports = new Reports<Report>((report) => board.see(report));
  const workers = await hire(board, reports, place, cleanup);
  const stage = { workers, reports, board, view, shop: new RedisShop(redis, prefix) };
  const holdfast = new Holdfast(redis, { prefix });
  cleanup.add(() => holdfast.close());
  const sales = await sell(stage);
  return { server: label, workers: 'processes', ...sales, ...(await accidents(stage, workers, holdfast)) };
}

async function inMemory(board: Board, view: Story, why: string): Promise<Omit<Result, 'tookMs'>> {
  const skipped = 'no server: nothing to kill or stop among tasks of one process';
  introduce(view, `${NAMES.length} tasks of this process`, 'none', `   (${why})`, ...HOW_TO_GET_ONE);
  view.say('   Going on with Holdfast.inMemory: the same rules within one process.');
  const reports = new Reports<Report>((report) => board.see(report));
  const shop = new MemoryShop();
  const sales = await sell({ workers: startTasks(shop, reports), reports, board, view, shop });
  view.say('', '   Killing and stopping a holder is skipped: that takes processes.');
  return { server: null, workers: 'tasks', ...sales, killed: null, stopped: null, skipped };
}

function introduce(view: Story, who: string, server: string, ...more: string[]): void {
  view.heading(`Holdfast: ${who} sell ${STOCK} tickets at ${PRICE} ${CURRENCY}.`);
  view.say(dim(`   Server: ${server}`), ...more);
}

async function hire(
  board: Board,
  reports: Reports<Report>,
  place: Place,
  cleanup: Cleanup,
): Promise<WorkerProcess[]> {
  const workers = NAMES.map((name) => new WorkerProcess(name, reports));
  cleanup.add(() => Promise.all(workers.map((worker) => worker.kill())));
  for (const worker of workers) board.line(worker.name).pid = worker.pid;
  const { url, prefix } = place;
  await Promise.all(workers.map((worker) => worker.open({ url, prefix })));
  return workers;
}

async function sell(stage: Stage & { workers: readonly Worker[] }) {
  const first = await withoutLock(stage);
  await stage.view.breathe();
  const second = await withLock(stage);
  await stage.view.breathe();
  return { withoutLock: first, withLock: second };
}

async function accidents(stage: Stage, workers: WorkerProcess[], holdfast: Holdfast) {
  const [first, second, third, ...others] = workers as [WorkerProcess, WorkerProcess, WorkerProcess];
  const kill = await killed(stage, first, [second, third, ...others], holdfast);
  await stage.view.breathe();
  const stop = await stopped(stage, second, third);
  return { killed: kill, stopped: stop, skipped: null };
}
