/** Runs parts one after the other. One that breaks down does not keep the others from running. */
import { unhandled } from './bounded.ts';
import { loadNow, type Machine, machine } from './machine.ts';
import type { Part, Settings, Table } from './part.ts';
import { messageOf } from './rivals/contender.ts';

export interface Result {
  /** Of the day, as 2026-12-02. */
  readonly date: string;
  readonly quick: boolean;
  readonly machine: Machine;
  /** The machine's load average when it began: other programs' work. */
  readonly load: number;
  readonly parts: readonly Ran[];
}

export interface Ran {
  readonly id: string;
  readonly what: string;
  readonly tookMs: number;
  readonly tables: readonly Table[];
  /** Why there are no tables. */
  readonly failed?: string;
  /** What was rejected or thrown with nobody to catch it: an ordinary program would have ended there. */
  readonly unhandled: readonly string[];
}

/** @param ended is told of each part when it is over: what ends in the middle has not measured for nothing */
export async function runParts(
  parts: readonly Part[],
  settings: Settings,
  ended: (part: Result) => void = () => {},
): Promise<Result> {
  const { quick, progress } = settings;
  const date = new Date().toISOString().slice(0, 10);
  const run = { date, quick, machine: await machine(), load: loadNow() };
  const ran: Ran[] = [];
  for (const part of parts) {
    progress(part.what);
    const own = await runPart(part, { quick, progress: (text) => progress(`  ${part.id}: ${text}`) });
    ran.push(own);
    ended({ ...run, parts: [own] });
  }
  return { ...run, parts: ran };
}

async function runPart(part: Part, settings: Settings): Promise<Ran> {
  const startedAt = performance.now();
  const before = unhandled.length;
  const outcome = await part.run(settings).then(
    (tables) => ({ tables }),
    (error: unknown) => ({ tables: [], failed: messageOf(error) }),
  );
  const tookMs = Math.round(performance.now() - startedAt);
  return { id: part.id, what: part.what, tookMs, ...outcome, unhandled: unhandled.slice(before) };
}
