/** Rounds of all contenders in turns, so that a slow minute of the machine hits everybody. Whoever hangs or throws is left out from then on. */
import { within } from './bounded.ts';
import { type Contender, messageOf } from './rivals/contender.ts';

/** One round of one contender; longer, and it hangs. */
const ROUND_WITHIN_MS = 20_000;

export interface Runner<T> {
  readonly contender: Contender;
  readonly seen: T[];
  /** Why it was left out. */
  failed?: string;
}

/**
 * @param open makes what runs one round
 * @param unkept rounds at first that are not kept: a connection is new, and code that has not run often is slow
 */
export async function inRounds<T>(
  contenders: readonly Contender[],
  rounds: number,
  open: (contender: Contender) => Promise<() => Promise<T>>,
  unkept = 1,
): Promise<Runner<T>[]> {
  const runners = contenders.map((contender) => ({ contender, seen: [] as T[] }) as Runner<T>);
  const steps = new Map<Runner<T>, () => Promise<T>>();
  for (const runner of runners)
    await unlessFailed(runner, async () => {
      const step = await open(runner.contender);
      for (let i = 0; i < unkept; i++) await step();
      steps.set(runner, step);
    });
  for (let i = 0; i < rounds; i++)
    for (const runner of runners)
      await unlessFailed(runner, async () => {
        const one = await steps.get(runner)?.();
        if (one !== undefined) runner.seen.push(one);
      });
  return runners;
}

async function unlessFailed<T>(runner: Runner<T>, step: () => Promise<void>): Promise<void> {
  if (runner.failed !== undefined) return;
  try {
    await within(ROUND_WITHIN_MS, step());
  } catch (error) {
    runner.failed = messageOf(error);
  }
}
