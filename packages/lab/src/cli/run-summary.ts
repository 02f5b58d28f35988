/** The last lines of a run. */
import { bad, dim, good, number } from '@holdfast/example-common';
import type { RunReport } from '../report/report.ts';
import { totalOf } from '../report/words.ts';

export function runSummary({ steps, server, node, seed, tookMs }: RunReport): string {
  const scenarios = steps.flatMap((step) => step.scenarios);
  const wrong = scenarios.filter(({ asExpected }) => !asExpected).length;
  const verdict = wrong === 0 ? good('all as expected') : bad(`${number(wrong)} NOT as expected`);
  const where = `${server}, Node ${node}, ${number(tookMs / 1000, 1)} s, seed ${seed}`;
  return `${totalOf(scenarios)}: ${verdict}\n${dim(where)}\n`;
}
