/* What a run measured. `--json` prints exactly this. */
import { LIMIT } from './rules.ts';

/** A scene as the marketplace counted it. */
export interface Judged {
  calls: number;
  /** With 429. */
  refused: number;
  /** Calls that were not refused. */
  acceptedPerSecond: number;
  /** Per account, from account 1 on. */
  mostAtOnce: number[];
  /** The highest of them. */
  highest: number;
  accountsOverLimit: number;
  tookMs: number;
}

export interface Guarded extends Judged {
  /** Answers "busy" of `tryAcquire`, and how long they took. */
  busy: number;
  busyMedianMs: number;
  busyP99Ms: number;
  /** Leases that ended before their call did. None, unless a process got no CPU for as long as the ttl. */
  lost: number;
}

/** All times are from the moment when the process was stopped, right before the kill. */
export interface DeadSeats {
  account: number;
  seats: number;
  /** When these leases (the last of them) were to end, by what the server said right after the kill. */
  endsMs: { earliest: number; latest: number };
  /** The last look that showed one of them was asked for then. */
  lastSeenMs: number;
  /** The answer that showed none of them any more came then. */
  backAfterMs: number;
  /** Calls for this account meanwhile, through the seats that were left. */
  callsMeanwhile: number;
}

/** Busy answers are those of the processes that lived on: the dead one took its own with it. */
export interface Killed extends Guarded {
  ttlMs: number;
  /** Calls whose connection broke with the process. Those that were answered while it was stopped are not among them. */
  brokenOff: number;
  dead: DeadSeats[];
  /** Of all accounts, by the other processes, until the last seat was back. */
  callsMeanwhile: number;
}

export interface Ending {
  accounts: number;
  /** Permits that were still held when all had gone home. */
  held: number;
  /** Accounts whose permits could be acquired all at once. */
  acquirable: number;
}

export interface Result {
  server: string;
  processes: number;
  tasks: number;
  accounts: number;
  limit: number;
  withoutSemaphore: Judged;
  withSemaphore: Guarded;
  killed: Killed;
  ending: Ending;
  tookMs: number;
}

/** Server and orchestrator measure the same time with two clocks. */
const CLOCKS_MS = 10;
/** What a semaphore must not let happen, if it did happen in this run. */
export function broken({ withSemaphore, killed, ending }: Result): string | undefined {
  return overLimit(withSemaphore) ?? overLimit(killed) ?? wronglyBack(killed) ?? leftBehind(ending);
}

function overLimit({ highest, refused, lost }: Guarded): string | undefined {
  const why = lost > 0 ? ` (${lost} leases were lost: was the machine stopped, or too busy?)` : '';
  if (highest > LIMIT) return `with the semaphore ${highest} calls of one account ran at once${why}`;
  if (refused > 0) return `with the semaphore ${refused} calls were refused${why}`;
  return undefined;
}

function wronglyBack({ dead }: Killed): string | undefined {
  if (dead.length === 0) return 'the seats of the killed process were free before anybody could look';
  const early = dead.find(({ backAfterMs, endsMs }) => backAfterMs < endsMs.earliest - CLOCKS_MS);
  if (early) return `a dead process's seat of account ${early.account} was free before its time`;
  const late = dead.find(({ lastSeenMs, endsMs }) => lastSeenMs > endsMs.latest + CLOCKS_MS);
  return late && `a dead process's seat of account ${late.account} was still taken after its time`;
}

function leftBehind({ accounts, held, acquirable }: Ending): string | undefined {
  if (held > 0) return `${held} permits were still held at the end`;
  if (acquirable < accounts) return `only of ${acquirable} accounts all permits could be acquired at the end`;
  return undefined;
}
