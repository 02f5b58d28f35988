/* Whose seats are taken, as `inspect` tells it. All times are from the moment when the process was stopped. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ms } from '@holdfast/example-common';
import type { SemaphoreHolder } from 'holdfast';
import type { DeadSeats } from '../result.ts';
import { TTL_MS } from '../rules.ts';
import { type Stage, semaphoreOf } from './stage.ts';

const LOOK_EVERY_MS = 30;
/** Seats that have not come back by then will not, however slow the machine is. */
const GIVE_UP_MS = TTL_MS + 15_000;

/** The seats of one account that one process holds. */
export interface Taken {
  readonly account: number;
  readonly seats: number;
  /** Of the lease that ends last. */
  readonly leftMs: number;
}

export interface Look {
  readonly askedMs: number;
  readonly answeredMs: number;
  /** The accounts where the process holds anything. */
  readonly taken: readonly Taken[];
}

export async function look(
  stage: Stage,
  pid: number,
  accounts: readonly number[],
  stoppedAt: number,
): Promise<Look> {
  const askedMs = performance.now() - stoppedAt;
  const looks = accounts.map(async (account) => {
    const { leases } = await semaphoreOf(stage, account).inspect();
    return sum(
      account,
      leases.filter(({ holder }) => holder.pid === pid),
    );
  });
  const taken = (await Promise.all(looks)).filter(({ seats }) => seats > 0);
  return { askedMs, answeredMs: performance.now() - stoppedAt, taken };
}

function sum(account: number, leases: readonly SemaphoreHolder[]): Taken {
  return {
    account,
    seats: leases.reduce((seats, { permits }) => seats + permits, 0),
    leftMs: Math.max(0, ...leases.map(({ remainingMs }) => remainingMs)),
  };
}

/** Looks again and again, until no account shows a lease of the dead process. */
export async function untilBack(
  stage: Stage,
  pid: number,
  first: Look,
  stoppedAt: number,
): Promise<DeadSeats[]> {
  const { books } = stage.marketplace;
  const callsBefore = books.pages.map(({ calls }) => calls);
  const dead: DeadSeats[] = [];
  let [last, waiting] = [first, first.taken];
  while (waiting.length > 0) {
    await sleep(LOOK_EVERY_MS);
    const accounts = waiting.map(({ account }) => account);
    const next = await look(stage, pid, accounts, stoppedAt);
    if (next.answeredMs > GIVE_UP_MS) throw new Error(`seats still taken after ${ms(next.answeredMs)}`);
    const isTaken = ({ account }: Taken) => next.taken.some((each) => each.account === account);
    for (const { account, seats, leftMs } of waiting.filter((each) => !isTaken(each))) {
      const endsMs = { earliest: first.askedMs + leftMs, latest: first.answeredMs + leftMs };
      const callsMeanwhile = books.page(account).calls - (callsBefore[account - 1] ?? 0);
      const times = { endsMs, lastSeenMs: last.askedMs, backAfterMs: next.answeredMs };
      dead.push({ account, seats, ...times, callsMeanwhile });
    }
    waiting = waiting.filter(isTaken);
    last = next;
  }
  return dead;
}
