/** A free lock of the same name, one acquire + release after the other: interleaved rounds of all contenders. */
import type { Redis } from 'ioredis';
import { median } from '../stats.ts';
import type { Contender, Opened, Result } from './contender.ts';
import { messageOf } from './contender.ts';

export interface Alone {
  /** Median over the rounds of the mean time of a pair. */
  readonly pairUs: number;
  /** Median over the rounds of the ratio to the floor's round. */
  readonly ratio: number;
}

interface Runner {
  readonly contender: Contender;
  readonly meansUs: number[];
  opened?: Opened;
  failed?: string;
}

/** The first contender is the floor. */
export async function measureAlone(
  nodes: readonly Redis[],
  contenders: readonly Contender[],
  rounds: number,
  pairs: number,
): Promise<Result<Alone>[]> {
  const runners: Runner[] = contenders.map((contender) => ({ contender, meansUs: [] }));
  for (const runner of runners) await unlessFailed(runner, () => warmUp(runner, nodes, pairs));
  for (let i = 0; i < rounds; i++)
    for (const runner of runners)
      await unlessFailed(runner, async () => void runner.meansUs.push(await round(runner, pairs)));
  await Promise.all(runners.map(({ opened }) => opened?.close?.()));
  return runners.map((runner) => result(runner, runners[0]?.meansUs ?? []));
}

async function unlessFailed(runner: Runner, step: () => Promise<void>): Promise<void> {
  if (runner.failed !== undefined) return;
  try {
    await step();
  } catch (error) {
    runner.failed = messageOf(error);
  }
}

async function warmUp(runner: Runner, nodes: readonly Redis[], pairs: number): Promise<void> {
  runner.opened = await runner.contender.open(nodes, `bench:quorum:alone:${runner.contender.id}`);
  await round(runner, pairs);
}

/** Mean time of one pair. */
async function round({ opened }: Runner, pairs: number): Promise<number> {
  const startedAt = performance.now();
  for (let i = 0; i < pairs; i++) await (await opened?.acquire())?.();
  return ((performance.now() - startedAt) * 1_000) / pairs;
}

function result(
  { contender: { id, label }, meansUs, failed }: Runner,
  floor: readonly number[],
): Result<Alone> {
  if (failed !== undefined) return { id, label, failed };
  const ratio = median(meansUs.map((us, i) => us / (floor[i] ?? Number.NaN)));
  return { id, label, pairUs: median(meansUs), ratio };
}
