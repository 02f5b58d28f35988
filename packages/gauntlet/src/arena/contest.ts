/** One run: a crew contends on a stage while faults strike; then the histories are judged. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readHistory } from '@holdfast/testkit';
import { type Evidence, evidenceOf } from '../check/evidence.ts';
import { type Verdict, verdictOn } from '../check/verdict.ts';
import type { Violation } from '../check/violation.ts';
import type { Arena, Fault } from '../faults/fault.ts';
import { faults as allFaults, type FaultName } from '../faults/index.ts';
import type { Subject } from '../worker/settings.ts';
import { type Contest, Crew } from './crew.ts';
import { leftovers } from './leftovers.ts';
import { type Inflicted, inflict } from './nemesis.ts';
import { ResourceProcess } from './resource.ts';
import { scheduleOf } from './schedule.ts';
import type { Stage } from './stage.ts';

export interface ContestPlan extends Partial<Contest> {
  readonly workers: number;
  readonly durationMs: number;
  readonly planned?: Readonly<Partial<Record<FaultName, number>>>;
  /** Faults of this run only, by the names in `planned`. */
  readonly ownFaults?: Readonly<Record<string, Fault>>;
  readonly ownPlanned?: Readonly<Record<string, number>>;
  readonly env?: (worker: number) => Record<string, string>;
  /** Whether the resource looks at tokens. Default true. */
  readonly fenced?: boolean;
  /** It is no lock of ours: it need not leave everything tidy. */
  readonly isControl?: boolean;
}

export interface Result {
  readonly evidence: Evidence;
  readonly verdict: Verdict;
  readonly violations: readonly Violation[];
  readonly hits: ReadonlyMap<string, number>;
  /** The most permits that the resource has seen inside at once. */
  readonly mostInside: number;
  /** Where the histories are; removed unless something was found. */
  readonly folder: string;
}

const DEFAULTS: Contest = {
  subject: { kind: 'lock' },
  names: [
    'gauntlet:a',
    'gauntlet:b',
    'gauntlet:c',
    'gauntlet:d',
    'gauntlet:e',
    'gauntlet:f',
    'gauntlet:g',
    'gauntlet:h',
  ],
  lanes: 3,
  ttlMs: 200,
  waitMs: 5_000,
  holdMs: 4,
  mix: { wait: 7, try: 1, short: 1, abort: 1 },
  longHolds: 0.02,
  blocks: 0,
  ordered: false,
  fine: [],
  fineShort: [],
  fineReleases: ['ConnectionError'],
  minReplicas: 0,
};

const limitOf = (subject: Subject): number => ('limit' in subject ? subject.limit : 1);

export async function contest(stage: Stage, plan: ContestPlan, seed: number): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-gauntlet-'));
  const rules = contestOf(plan);
  await using resource = await ResourceProcess.start(folder, { fenced: plan.fenced ?? true });
  await using crew = await Crew.start({
    contest: rules,
    workers: plan.workers,
    placeOf: stage.placeOf,
    folder,
    resource: resource.path,
    seed,
    unruly: plan.isControl ?? false,
    ...(plan.env && { env: plan.env }),
  });
  const { names, ttlMs } = rules;
  const arena = { crew, resource, servers: stage.servers, ways: stage.ways, names, ttlMs };
  const inflicted = await run(arena, plan, join(folder, 'nemesis.jsonl'), seed);
  await crew.end();
  const mostInside = await resource.most();
  const left = plan.isControl ? [] : await leftovers({ ...stage, place: stage.straight, ...rules });
  const result = judged(folder, rules, [...crew.faults, ...inflicted.errors]);
  if (result.violations.length + left.length === 0) rmSync(folder, { recursive: true });
  const { hits } = withBlocks(inflicted, result.evidence);
  return { ...result, violations: [...result.violations, ...left], hits, mostInside, folder };
}

function contestOf(plan: ContestPlan): Contest {
  const own = Object.entries(plan).filter(([key]) => key in DEFAULTS);
  return { ...DEFAULTS, ...Object.fromEntries(own) };
}

async function run(arena: Arena, plan: ContestPlan, file: string, seed: number): Promise<Inflicted> {
  const { planned = {}, ownPlanned = {}, ownFaults = {}, durationMs } = plan;
  const all = Object.entries({ ...planned, ...ownPlanned }).map(([fault, count = 0]) => ({ fault, count }));
  const blows = scheduleOf(all, durationMs, seed);
  const [inflicted] = await Promise.all([
    inflict(arena, blows, { ...allFaults, ...ownFaults }, file),
    sleep(durationMs),
  ]);
  return inflicted;
}

function judged(folder: string, rules: Contest, faults: readonly string[]) {
  const files = readdirSync(folder).filter((file) => file.endsWith('.jsonl'));
  const history = readHistory(files.map((file) => join(folder, file)));
  const evidence = evidenceOf(history, { ttlMs: rules.ttlMs, limit: limitOf(rules.subject) });
  const verdict = verdictOn(evidence, { ordered: rules.ordered });
  const own = faults.map((text): Violation => ({ check: 'C9', text }));
  return { evidence, verdict, violations: [...verdict.violations, ...own] };
}

/** Workers block themselves. */
function withBlocks(inflicted: Inflicted, { blocked }: Evidence): { hits: ReadonlyMap<string, number> } {
  if (blocked.size === 0) return inflicted;
  return { hits: new Map([...inflicted.hits, ['block', blocked.size]]) };
}
