/* For a terminal: what can be seen at this moment. */
import { paint } from '@holdfast/example-common';
import type { Judge } from './judge.ts';
import { bar, type Timeline } from './timeline.ts';

export function block({ latest }: Timeline, judge: Judge): string[] {
  if (!latest) return ['  The workers are starting.', '', ''];
  const { limit = 0, held, free, waiting } = latest;
  return [
    `  limit ${paint('bold', String(limit).padStart(2))}   held ${held}   free ${free}   waiting ${waiting}`,
    `  queries running   ${bar(judge.count, limit)}`,
    paint('dim', `  queries so far    ${judge.total}`),
  ];
}
