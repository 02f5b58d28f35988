import type { Holdfast, Semaphore } from 'holdfast';
import type { WorkerProcess } from '../crew.ts';
import type { Marketplace } from '../marketplace.ts';
import { ACCOUNTS, LIMIT, semaphoreName, TTL_MS } from '../rules.ts';
import type { Screen } from '../screen.ts';

/** What every scene has at hand. */
export interface Stage {
  readonly processes: readonly WorkerProcess[];
  readonly marketplace: Marketplace;
  readonly holdfast: Holdfast;
  readonly screen: Screen;
}

export const ALL_ACCOUNTS: readonly number[] = Array.from({ length: ACCOUNTS }, (_, i) => i + 1);

export function semaphoreOf({ holdfast }: Stage, account: number): Semaphore {
  return holdfast.semaphore(semaphoreName(account), { limit: LIMIT, ttlMs: TTL_MS });
}
