/** Explores steps one scenario after the other, and prints each as soon as it is found. */
import type { Cleanup } from '@holdfast/example-common';
import { explore } from '../explore/explore.ts';
import type { Scenario } from '../explore/scenario.ts';
import type { Connections } from '../explore/stage.ts';
import {
  type LabStep,
  type RunReport,
  type ScenarioReport,
  type StepReport,
  scenarioReport,
  scriptReport,
  stepReport,
} from '../report/report.ts';
import { plural } from '../report/words.ts';
import { Progress } from './progress.ts';
import { scenarioText, stepHeading } from './scenario-text.ts';
import { ownServer } from './server.ts';

export interface ExploreOptions {
  readonly seed: number;
  readonly maxOrders: number;
  /** Prints nothing but the progress. */
  readonly silent: boolean;
}

export async function exploreSteps(
  steps: readonly LabStep[],
  options: ExploreOptions,
  cleanup: Cleanup,
): Promise<RunReport> {
  const startedAt = performance.now();
  const { label, connections } = await ownServer(cleanup);
  const progress = new Progress(steps.flatMap(partsOf).length);
  cleanup.add(() => progress.clear());
  const reports: StepReport[] = [];
  for (const step of steps) {
    const scenarios: ScenarioReport[] = [];
    for (const part of partsOf(step)) {
      progress.begin(`step ${step.id}, ${part.name}`);
      const report = await part.play(connections, options, progress);
      progress.end();
      const heading = scenarios.length === 0 ? stepHeading(step) : '';
      if (!options.silent) process.stdout.write(heading + scenarioText(report));
      scenarios.push(report);
    }
    reports.push(stepReport(step, scenarios));
  }
  const { seed, maxOrders } = options;
  const at = new Date().toISOString();
  const tookMs = performance.now() - startedAt;
  return { server: label, node: process.version, at, seed, maxOrders, tookMs, steps: reports };
}

/** A scenario or a script. */
interface Part {
  readonly name: string;
  play(connections: Connections, options: ExploreOptions, progress: Progress): Promise<ScenarioReport>;
}

function partsOf({ scenarios, dramas = [] }: LabStep): Part[] {
  return [
    ...scenarios.map((scenario) => ({ name: scenario.name, play: exploring(scenario) })),
    ...dramas.map((drama) => ({ name: drama.name, play: () => scriptReport(drama) })),
  ];
}

const exploring =
  (scenario: Scenario): Part['play'] =>
  async (connections, { seed, maxOrders }, progress) => {
    // Where there are too many, as many again are drawn: more than that are never run.
    const told = (orders: number) => progress.at(orders / (2 * maxOrders), plural(orders, 'order'));
    return scenarioReport(await explore(scenario, connections, { seed, maxOrders, progress: told }));
  };
