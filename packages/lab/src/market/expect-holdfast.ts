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
  return all.map(saidOnce(why));
}

/** The reason of several is told with the first. */
function saidOnce(why: string): (one: Expectation) => Expectation {
  let said = false;
  return (one) => {
    const text = said ? one.text.replace(why, 'Why: as above.') : one.text;
    said ||= !one.holds;
    return { ...one, text };
  };
}

function whyOnMarket(chapter: Cell, holdfast: Cell): string {
  return `Why: the polling lock goes to whoever asks first, and that is mostly the process that has just released it, since it is running while the others sleep out their millisecond: in a loop of ten processes that did nothing else it got the lock again in 36 to 65 % of the cases, of two in 90 %. That saves changing processes, which on few cores is most of the cost, and is paid by those that are passed over: fairness among the workers was ${fairness(chapter)} and is ${fairness(holdfast)} with Holdfast, which wakes the longest waiting each time. The polling itself took ${number(chapter.commandsPerOperation)} commands per operation, Holdfast ${number(holdfast.commandsPerOperation)}.`;
}

function whyOnItem(chapter: Cell, holdfast: Cell): string {
  return `Why: nobody waits for an item's lock, so this compares what a free lock costs: ${number(holdfast.commandsPerOperation)} commands and ${number(processorUs(holdfast))} µs of processor time per operation against ${number(chapter.commandsPerOperation)} and ${number(processorUs(chapter))}. Almost every listing locks a name that was never locked before. There Holdfast's first try, two plain commands, finds no fencing token to raise and asks again by script: two round trips instead of one. Alone on one connection, acquire and release of a new name took 2.4 times as long as the polling lock's, of a known name 1.4 times.`;
}

const processorUs = (cell: Cell) => cell.serverUsPerOperation + cell.workersUsPerOperation;
const fairness = ({ fairness }: Cell) => fairness.toFixed(2);
