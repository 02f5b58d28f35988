/** Holdfast beside the chapter's lock, where everybody wants it. */
import { compared, type Expectation } from './judge.ts';
import type { Cell } from './result.ts';
import { ms, number } from './text.ts';

export function holdfastAhead(chapter: Cell | undefined, holdfast: Cell | undefined): Expectation[] {
  if (!chapter || !holdfast) return [];
  const cells = [chapter, holdfast] as const;
  const why =
    holdfast.way === 'holdfast-market' ? whyOnMarket(chapter, holdfast) : whyOnItem(chapter, holdfast);
  const wait = { cells, shown: ms, better: 'less', why } as const;
  const all = [
    compared({ ...wait, what: 'mean wait of a purchase', by: ({ buying }) => buying.meanMs }),
    compared({ ...wait, what: 'p99 wait of a purchase', by: ({ buying }) => buying.p99Ms }),
    compared({
      cells,
      why,
      what: 'operations per second',
      by: (cell) => cell.operationsPerSecond,
      shown: (value) => `${number(value)}/s`,
      better: 'more',
    }),
  ];
  return all.map(toldOnce());
}

/** The reason of several is told with the first. */
function toldOnce(): (one: Expectation) => Expectation {
  let told = false;
  return (one) => {
    const again = told && !one.holds;
    told ||= !one.holds;
    return again ? { ...one, why: 'as above.' } : one;
  };
}

/** Where the figures come from that are not of the run at hand. */
const APART = 'measured apart: Redis 7.0.15, Node 20, 2 cores';

function whyOnMarket(chapter: Cell, holdfast: Cell): string {
  return `the polling lock goes to whoever asks first, and that is often the process that has just released it, since it is running while the others sleep out their millisecond: in a loop that did nothing else it got the lock again in 94 % of the cases of two processes, in 17 to 34 % of ten (${APART}). That saves changing processes, and is paid by those that are passed over: fairness among the workers was ${fairness(chapter)}, and is ${fairness(holdfast)} with Holdfast, which wakes the longest waiting each time. The polling took ${number(chapter.commandsPerOperation)} commands per operation, Holdfast ${number(holdfast.commandsPerOperation)}.`;
}

function whyOnItem(chapter: Cell, holdfast: Cell): string {
  return `nobody waits for an item's lock, so this compares what a free lock costs: ${number(holdfast.commandsPerOperation)} commands and ${number(processorUs(holdfast))} µs of processor time per operation against ${number(chapter.commandsPerOperation)} and ${number(processorUs(chapter))}. Holdfast's lock is more code, and code is slow until it is compiled: each worker had ${number(workerSeconds(holdfast))} s of processor time. Among ten processes (${APART}) an acquire and release costs 1,100 to 1,700 µs in the first seconds against the polling lock's 600 to 800, after ten seconds 240 to 480 against 150 to 300. Warm and alone it takes 1.45 times as long for a name that is new to the process, as almost every listing's is, and 1.3 times for one that is not.`;
}

/** Of one worker, on average, the warm-up included. */
function workerSeconds({ checked, workersUsPerOperation, load }: Cell): number {
  const us = (checked.listed + checked.bought) * workersUsPerOperation;
  return us / 1e6 / (load.listers + load.buyers);
}

const processorUs = (cell: Cell) => cell.serverUsPerOperation + cell.workersUsPerOperation;
const fairness = ({ fairness }: Cell) => fairness.toFixed(2);
