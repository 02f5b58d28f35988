/** `holdfast run`. */
import { basename } from 'node:path';
import type { AcquireOptions, Holdfast, Lease, LeaseLostError } from 'holdfast';
import { type ConnectionOptions, openSession } from '../connect/session.ts';
import { shortly } from '../say/duration.ts';
import { EXIT } from '../say/exit.ts';
import { Failure, usage } from '../say/failure.ts';
import { note, report } from '../say/report.ts';
import { whoHolds } from './busy.ts';
import { Command, signalNumber } from './command.ts';
import { Guard } from './guard.ts';
import { Signals } from './signals.ts';

export interface RunOptions extends ConnectionOptions {
  readonly ttl: number;
  /** `Infinity` = for ever; `false` = not at all. */
  readonly wait: number | false;
  readonly limit?: number;
  readonly permits?: number;
  readonly busyExit: number;
  readonly killAfter: number;
  readonly shell?: true;
  readonly quiet?: true;
  readonly verbose?: true;
  readonly label?: string;
  /** Whether a guard stands by. */
  readonly guard: boolean;
}

/** The longest wait that the library knows: 24 days. */
const FOR_EVER_MS = 2 ** 31 - 1;

export async function run(name: string, words: readonly string[], options: RunOptions): Promise<number> {
  const command = commandWords(words, options);
  if (options.permits !== undefined && options.limit === undefined)
    throw usage('--permits belongs to --limit: how many permits are there?');
  using signals = new Signals();
  const label = options.label ?? `run ${basename(command[0] ?? '')}`.slice(0, 100);
  const opening = openSession(options, { label });
  // A signal may come while nobody answers.
  await using session = await Promise.race([opening, endOfWait(signals)]);
  const lease = await acquire(session.holdfast, name, options, signals);
  if (typeof lease === 'number') return lease;
  return await underLease(lease, command, options, signals);
}

function commandWords(words: readonly string[], { shell }: RunOptions): readonly string[] {
  if (words.length === 0)
    throw usage('which command? Write it behind --, as in: holdfast run NAME -- COMMAND ARG…');
  if (shell !== true) return words;
  if (words.length > 1) throw usage("--shell takes one word: quote the line, as in: --shell -- 'a && b'");
  return ['/bin/sh', '-c', ...words];
}

function endOfWait(signals: Signals): Promise<never> {
  return new Promise((_, reject) => {
    const ended = () =>
      reject(new Failure(`ended by ${signals.ended} before the command was started`, code(signals)));
    signals.wait.addEventListener('abort', ended, { once: true });
  });
}

function code({ ended }: Signals): number {
  return EXIT.signal + signalNumber(ended ?? '');
}

/** The lease, or the exit code that says why there is none. */
async function acquire(
  holdfast: Holdfast,
  name: string,
  options: RunOptions,
  signals: Signals,
): Promise<Lease | number> {
  const { ttl, wait, limit, permits, quiet, verbose, json } = options;
  const startedAt = performance.now();
  const settings: AcquireOptions = {
    ttlMs: ttl,
    waitMs: wait === false ? 0 : Math.min(wait, FOR_EVER_MS),
    signal: signals.wait,
  };
  try {
    const lease =
      limit === undefined
        ? await holdfast.lock(name).acquire(settings)
        : await holdfast.semaphore(name, { limit }).acquire({ ...settings, permits: permits ?? 1 });
    if (verbose)
      note(
        `${name}: acquired after ${shortly(performance.now() - startedAt)}, token ${lease.fencingToken}`,
        json,
      );
    return lease;
  } catch (error) {
    if (signals.ended !== undefined) return code(signals);
    if ((error as { code?: string }).code !== 'HOLDFAST_ACQUIRE_TIMEOUT') throw error;
    if (!quiet) {
      const who = await whoHolds(holdfast, name, limit !== undefined);
      const waited = wait === false ? '' : `; waited ${shortly(performance.now() - startedAt)}`;
      note(`${name} is busy${who}${waited}`, json);
    }
    return options.busyExit;
  }
}

/** Runs the command, and releases whatever happens. */
async function underLease(
  lease: Lease,
  words: readonly string[],
  options: RunOptions,
  signals: Signals,
): Promise<number> {
  try {
    // What a hand-off gives lasts a moment only; the command shall start with all of it.
    if (lease.remainingMs() < options.ttl / 2) await lease.renew();
    if (signals.ended !== undefined) return code(signals);
    using guard = options.guard ? new Guard(options.killAfter, noGuard) : undefined;
    const command = await Command.start(words, environment(lease), (pid) => guard?.watch(pid));
    signals.forwardTo(command);
    if (options.verbose)
      note(`${lease.name}: the command runs as process group ${command.pid}`, options.json);
    return await watched(command, lease, options);
  } finally {
    await released(lease, options);
  }
}

function environment(lease: Lease): NodeJS.ProcessEnv {
  return {
    ...process.env,
    HOLDFAST_NAME: lease.name,
    HOLDFAST_FENCING_TOKEN: String(lease.fencingToken),
    HOLDFAST_EXPIRES_IN_MS: String(Math.floor(lease.remainingMs())),
  };
}

async function watched(command: Command, lease: Lease, { killAfter, json }: RunOptions): Promise<number> {
  const { signal } = lease;
  const lost = new Promise<LeaseLostError>((resolve) => {
    if (signal.aborted) resolve(signal.reason);
    signal.addEventListener('abort', () => resolve(signal.reason), { once: true });
  });
  const first = await Promise.race([command.ended, lost]);
  // The command may have ended late in a lease that nobody could renew.
  const reason = typeof first === 'number' ? lease.lost : first;
  if (reason === undefined) return first as number;
  note(
    `${reason.message}; ${typeof first === 'number' ? 'the command had ended by itself' : 'ending the command'}`,
    json,
  );
  if (typeof first !== 'number') await command.end(killAfter);
  return EXIT.lost;
}

async function released(lease: Lease, { verbose, json }: RunOptions): Promise<void> {
  if (lease.lost !== undefined) return;
  try {
    const outcome = await lease.release();
    if (outcome !== 'released') throw lease.lost;
    if (verbose) note(`${lease.name}: released`, json);
  } catch (error) {
    if (lease.lost !== undefined) throw error;
    report(error, json === true);
    note(`${lease.name} was not released; it is free when its ttl has run out`, json);
  }
}

function noGuard(error: Error): void {
  note(
    `no guard (${error.message}): if holdfast is killed with SIGKILL, the command runs on without the lock`,
  );
}
