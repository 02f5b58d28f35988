/** From what each worker measured to one cell of the table. */
import type { CellPlan } from './cell.ts';
import { CHAPTER } from './chapter.ts';
import { labelOf } from './data.ts';
import type { ProcessorTime } from './processor.ts';
import type { Measured, Role } from './protocol.ts';
import type { Cell, Waits } from './result.ts';
import { WAY_LABELS } from './ways/index.ts';

export function summary(
  { way, load, seconds }: CellPlan,
  measured: readonly Measured[],
  processor: ProcessorTime,
): Cell {
  const of = (role: Role) => measured.filter((one) => one.role === role);
  const listed = total(of('lister'), 'done');
  const bought = total(of('buyer'), 'done');
  const retries = total(measured, 'retries');
  const all = total(measured, 'operations');
  const cpuMs = total(measured, 'cpuMs');
  const { serverUs, machineBusyMs, machineMs } = processor;
  const in60s = (count: number) => Math.round((count * 60) / seconds);
  const chapter = CHAPTER[way];
  return {
    way,
    label: WAY_LABELS[way],
    load,
    seconds,
    listed,
    bought,
    retries,
    gone: total(measured, 'gone'),
    late: total(measured, 'late'),
    buying: waits(of('buyer')),
    listing: waits(of('lister')),
    operationsPerSecond: (listed + bought) / seconds,
    fairness: Math.min(jain(of('lister')), jain(of('buyer'))),
    commandsPerOperation: total(measured, 'commands') / all,
    serverUsPerOperation: serverUs / all,
    workersUsPerOperation: (cpuMs * 1_000) / all,
    ownShare: (cpuMs + serverUs / 1_000) / machineMs,
    othersShare: Math.max(0, machineBusyMs - cpuMs - serverUs / 1_000) / machineMs,
    in60s: {
      listed: in60s(listed),
      bought: in60s(bought),
      retries: in60s(retries),
      operations: in60s(listed + bought),
    },
    checked: { listed: total(of('lister'), 'operations'), bought: total(of('buyer'), 'operations') },
    chapter: chapter?.load === labelOf(load) ? chapter : null,
  };
}

type Counted = 'done' | 'retries' | 'gone' | 'late' | 'commands' | 'operations' | 'cpuMs';

function total(measured: readonly Measured[], what: Counted): number {
  return measured.reduce((sum, one) => sum + one[what], 0);
}

function waits(measured: readonly Measured[]): Waits {
  const sorted = measured.flatMap(({ waitsMs }) => waitsMs).sort((a, b) => a - b);
  const at = (q: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0;
  const sum = sorted.reduce((a, b) => a + b, 0);
  return { meanMs: sum / Math.max(1, sorted.length), p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
}

function jain(measured: readonly Measured[]): number {
  const squares = measured.reduce((all, { done }) => all + done ** 2, 0);
  return squares === 0 ? 1 : total(measured, 'done') ** 2 / (measured.length * squares);
}
