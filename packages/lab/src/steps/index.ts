/** The steps of the chapter, in their order. */
import type { Step } from '../explore/scenario.ts';
import { checkThenAct } from './0-check-then-act.ts';
import { simple } from './1-simple-lock.ts';
import { withTimeout } from './2-lock-with-timeout.ts';
import { oneCommand } from './3-one-command.ts';
import { basicSemaphore } from './4-basic-semaphore.ts';
import { fairSemaphore } from './5-fair-semaphore.ts';
import { guardedFairSemaphore } from './6-guarded-fair-semaphore.ts';
import { refreshedSemaphore } from './7-refresh.ts';
import { holdfastStep } from './8-holdfast.ts';
import { failOver } from './9-fail-over.ts';
import { twoLocks } from './10-two-locks.ts';

export const steps: readonly Step[] = [
  checkThenAct,
  simple,
  withTimeout,
  oneCommand,
  basicSemaphore,
  fairSemaphore,
  guardedFairSemaphore,
  refreshedSemaphore,
  holdfastStep,
  failOver,
  twoLocks,
];
