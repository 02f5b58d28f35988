/** What a run found, as plain data: the JSON document, the text and the page are all made from it. */
import type { Found, Line, Scenario, Step } from '../explore/scenario.ts';

export interface RunReport {
  /** "Redis 7.0.15". */
  readonly server: string;
  readonly node: string;
  /** ISO date and time of the end. */
  readonly at: string;
  readonly seed: number;
  readonly maxOrders: number;
  readonly tookMs: number;
  readonly steps: readonly StepReport[];
}

export interface StepReport {
  readonly id: string;
  readonly name: string;
  readonly about: string;
  readonly scenarios: readonly ScenarioReport[];
}

export interface ScenarioReport extends Pick<Scenario, 'name' | 'about' | 'expects'> {
  readonly asExpected: boolean;
  /** In their order; how far the clock of each is ahead, in ms. */
  readonly actors: readonly { readonly name: string; readonly clockAheadMs: number }[];
  /** How many may work at once. */
  readonly limit: number;
  /** It followed a script, once: there are no orders to count. */
  readonly scripted: boolean;
  /** Why none was run. */
  readonly skipped?: string;
  readonly orders: number;
  readonly bad: number;
  /** Whether these are all the orders there are; else `share` of them, by estimate. */
  readonly complete: boolean;
  readonly share: number;
  readonly tookMs: number;
  /** The shortest bad order; of a script what happened. */
  readonly shown?: ShownOrder;
}

export interface ShownOrder {
  /** What is wrong, in one sentence; `undefined` when nothing is. */
  readonly why: string | undefined;
  readonly lines: readonly Line[];
  /** The line with which it goes wrong. Default: the first with more at work than may, else the last. */
  readonly moment?: number;
}

export function scenarioReport({ scenario, shortest, skipped, ...counts }: Found & Skipped): ScenarioReport {
  const { name, about, expects, limit = 1, clockAheadMs = {} } = scenario;
  const actors = Object.keys(scenario.actors).map((actor) => ({
    name: actor,
    clockAheadMs: clockAheadMs[actor] ?? 0,
  }));
  return {
    ...{ name, about, expects, actors, limit, scripted: false },
    asExpected: skipped !== undefined || counts.bad > 0 === (expects === 'bug'),
    ...(skipped !== undefined && { skipped }),
    ...counts,
    ...(shortest && { shown: shortest }),
  };
}

interface Skipped {
  readonly skipped?: string;
}

/** What follows a script, on servers and processes of its own. */
interface Script extends Pick<Scenario, 'name' | 'about' | 'expects'> {
  readonly actors: readonly string[];
  readonly run: () => Promise<ShownOrder>;
}

/** A step with what is no order of commands. */
export interface LabStep extends Step {
  readonly dramas?: readonly Script[];
}

/** Plays it. */
export async function scriptReport({
  name,
  about,
  expects,
  run,
  ...script
}: Script): Promise<ScenarioReport> {
  const startedAt = performance.now();
  const shown = await run();
  const bad = shown.why === undefined ? 0 : 1;
  const actors = script.actors.map((actor) => ({ name: actor, clockAheadMs: 0 }));
  return {
    ...{ name, about, expects, actors, limit: 1, scripted: true },
    asExpected: bad > 0 === (expects === 'bug'),
    ...{ orders: 1, bad, complete: true, share: 1, tookMs: performance.now() - startedAt },
    shown,
  };
}

export function stepReport({ id, name, about }: Step, scenarios: readonly ScenarioReport[]): StepReport {
  return { id, name, about, scenarios };
}

/** One sentence for each scenario that did not end as it must. */
export function unexpected(steps: readonly StepReport[]): string[] {
  return steps.flatMap(({ id, scenarios }) =>
    scenarios
      .filter(({ asExpected }) => !asExpected)
      .map(({ name, expects }) => {
        const missing = 'no bad order was found, and there must be one';
        const what = expects === 'bug' ? missing : 'a bad order was found, and none may be bad';
        return `Not as expected: step ${id}, “${name}”: ${what}.`;
      }),
  );
}
