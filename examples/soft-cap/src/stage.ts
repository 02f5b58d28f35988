/* What every scene has at hand. */
import type { Member, Reports, Story } from '@holdfast/example-common';
import type { Semaphore } from 'holdfast';
import type { Judge } from './judge.ts';
import type { Order, Report } from './protocol.ts';
import type { Timeline } from './timeline.ts';
import type { Warnings } from './warnings.ts';

export interface Stage {
  readonly members: readonly Member<Order, Report>[];
  readonly reports: Reports<Report>;
  readonly judge: Judge;
  /** The operator's. It believes no limit of its own: it sets them. */
  readonly permits: Semaphore;
  readonly timeline: Timeline;
  readonly warnings: Warnings;
  readonly story: Story;
}
