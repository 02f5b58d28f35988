/** `holdfast-lab list`. */
import { dim } from '@holdfast/example-common';
import Table from 'cli-table3';
import type { LabStep } from '../report/report.ts';
import { wrap } from '../report/words.ts';
import { screenWidth } from './screen.ts';

/** The three borders' worth of characters, and two spaces in each cell. */
const FRAME = 10;
const NAME = 22;

export function listTable(steps: readonly LabStep[]): string {
  const room = screenWidth() - FRAME - NAME;
  const about = Math.round(room * 0.5);
  const table = new Table({
    head: ['step', 'what it is', 'scenarios'],
    style: { head: [], border: [] },
  });
  for (const step of steps) table.push(cells(step, about, room - about));
  return `${table}\n`;
}

function cells(
  { id, name, about, scenarios, dramas = [] }: LabStep,
  aboutWidth: number,
  scenarioWidth: number,
): string[] {
  const lines = [...scenarios, ...dramas].flatMap((scenario) => {
    const [first = '', ...more] = wrap(scenario.name, scenarioWidth - 2);
    const outcome = scenario.expects === 'bug' ? 'must find a bug' : 'no order may be bad';
    return [`· ${first}`, ...more.map((line) => `  ${line}`), dim(`  ${outcome}`)];
  });
  const title = wrap(`${id} ${name}`, NAME).join('\n');
  return [title, wrap(about, aboutWidth).join('\n'), lines.join('\n')];
}
