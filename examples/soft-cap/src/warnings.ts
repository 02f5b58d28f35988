/* What the library told the workers that is not as it should be. */
import { dim, type Story } from '@holdfast/example-common';
import { CONFIGURED, type Report } from './protocol.ts';

const CODE = 'HOLDFAST_LIMIT_DIFFERS';
const WIDTH = 72;

export class Warnings {
  /** Leases that ended while a query ran. */
  lost = 0;
  /** The first text of all. */
  first = '';
  private readonly told: string[] = [];
  private readonly story: Story;

  constructor(story: Story) {
    this.story = story;
  }

  see(report: Report): void {
    if (report.is === 'lost') this.lost++;
    if (report.is === 'warned' && report.code === CODE) this.limitDiffers(report.from, report.message);
  }

  /** How often this worker was told that its limit does not count. */
  times(worker: string): number {
    return this.told.filter((each) => each === worker).length;
  }

  private limitDiffers(worker: string, message: string): void {
    this.told.push(worker);
    const who = `   ${worker} was started with limit ${CONFIGURED[worker]}`;
    if (this.first) this.story.say(`${who}, and is told the same, once.`);
    else this.story.say(`${who}. It is told once, by a warning event:`, ...wrapped(message));
    this.first ||= message;
  }
}

function wrapped(text: string): string[] {
  const lines = text.match(new RegExp(`\\S.{0,${WIDTH - 1}}(?=\\s|$)`, 'g')) ?? [];
  return lines.map((line) => dim(`     ${line}`));
}
