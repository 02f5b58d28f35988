/** Runs scenarios one after the other. One that finds something runs again with the same seed, to tell a fault from chance. */
import type { Context, Outcome, Scenario } from './scenarios/scenario.ts';
import { type Standing, standingOf } from './scenarios/scenario.ts';

const AGAIN = 5;

export interface Ran {
  readonly scenario: Scenario;
  readonly outcomes: readonly Outcome[];
  readonly tookMs: number;
}

export async function runAll(
  scenarios: readonly Scenario[],
  context: Context,
  say: (text: string) => void,
): Promise<Ran[]> {
  const all: Ran[] = [];
  for (const [i, scenario] of scenarios.entries()) {
    say(`${i + 1}/${scenarios.length} ${scenario.id}: ${scenario.what}`);
    const ran = await runOne(scenario, context, say);
    say(`    ${standing(ran.outcomes)}, ${Math.round(ran.tookMs / 1000)} s`);
    all.push(ran);
  }
  return all;
}

async function runOne(scenario: Scenario, context: Context, say: (text: string) => void): Promise<Ran> {
  const from = performance.now();
  const outcomes = await scenario.run(context);
  const ran = { scenario, outcomes, tookMs: performance.now() - from };
  if (standing(outcomes) === 'violated') {
    // At once: whoever stops the run now shall know what it was.
    for (const { what, violations } of outcomes)
      for (const { check, text } of violations.slice(0, 3)) say(`    ${what}: ${check}: ${text}`);
    await again(scenario, context, say);
  }
  return ran;
}

async function again(scenario: Scenario, context: Context, say: (text: string) => void): Promise<void> {
  say(`${scenario.id} was violated; ${AGAIN} more times with the seed ${context.seed}`);
  let times = 0;
  for (let i = 0; i < AGAIN; i++) if (standing(await scenario.run(context)) === 'violated') times++;
  say(`${scenario.id} was violated again in ${times} of ${AGAIN}`);
}

/** The worst of them. */
export function standing(outcomes: readonly Outcome[]): Standing {
  const all = outcomes.map(standingOf);
  return (['violated', 'inconclusive'] as const).find((one) => all.includes(one)) ?? 'held';
}
