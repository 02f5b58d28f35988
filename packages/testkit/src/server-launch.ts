import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClockShift } from './clock-shift.ts';
import { type Command, dyingWithParent, track } from './processes.ts';
import type { RedisProcess } from './redis-process.ts';
import type { ServerBinary } from './server-binary.ts';
import type { Place, ServerOptions } from './server-config.ts';

const START_MS = 15_000;
const LOOK_MS = 10;

/** Answering PING, or answering at all. */
export type Readiness = 'pong' | 'answer';

/** The process ended before it answered, since somebody else had its port. */
export class PortTakenError extends Error {
  override name = 'PortTakenError';
}

const logFile = (dir: string): string => join(dir, 'server.log');

/** Starts the process; its output goes to a file, so that it neither fills a pipe nor keeps this process alive. */
export function launch(
  binary: ServerBinary,
  options: ServerOptions,
  place: Place,
  clock?: ClockShift,
): ChildProcess {
  const own = [
    join(place.dir, 'server.conf'),
    ...(options.sentinel ? ['--sentinel'] : []),
    ...(options.args ?? []),
  ];
  const { command, args } = dyingWithParent(withClock(binary, own, clock));
  const log = openSync(logFile(place.dir), 'w');
  const env = {
    ...process.env,
    ...clock?.env,
    ...(clock && !binary.loader && { LD_PRELOAD: clock.library }),
  };
  const child = spawn(command, args, { cwd: place.dir, stdio: ['ignore', log, log], env });
  closeSync(log);
  track(child);
  child.unref();
  return child;
}

/** The environment's LD_PRELOAD would reach `setpriv` with the system's own libraries; a loader takes an argument. */
function withClock({ command, args, loader }: ServerBinary, own: string[], clock?: ClockShift): Command {
  const preload = clock && loader ? ['--preload', clock.library] : [];
  return { command, args: [...preload, ...args, ...own] };
}

/** Resolves when the very process that was started answers on its port. */
export async function awaitAnswer(server: RedisProcess, until: Readiness): Promise<void> {
  const deadline = performance.now() + START_MS;
  for (;;) {
    if (!server.running) throw diedEarly(server);
    const died = server.exited.then(() => false); // whoever has its port instead may keep us waiting
    if (await Promise.race([answers(server, until), died])) return;
    if (performance.now() > deadline)
      throw new Error(`no answer within ${START_MS} ms; its log ends:\n${logEnd(server)}`);
    await sleep(LOOK_MS);
  }
}

/** The pid is compared because another program's server could hold the port while ours is failing to get it. */
async function answers(server: RedisProcess, until: Readiness): Promise<boolean> {
  try {
    const info = String(await server.command('INFO', 'server'));
    if (!info.includes(`process_id:${server.pid}\r\n`)) return false;
    return until === 'answer' || (await server.command('PING')) === 'PONG';
  } catch {
    return false;
  }
}

function diedEarly(server: RedisProcess): Error {
  const log = logEnd(server);
  const message = `${server.binary.label} ended before it answered; its log ends:\n${log}`;
  return /Address already in use/i.test(log) ? new PortTakenError(message) : new Error(message);
}

function logEnd({ dir }: RedisProcess): string {
  return readFileSync(logFile(dir), 'utf8').trim().split('\n').slice(-8).join('\n');
}
