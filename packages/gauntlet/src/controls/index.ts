/** By their names in a worker's settings. */
import { blindDelete } from './blind-delete.ts';
import { clientClockSemaphore } from './client-clock-semaphore.ts';
import type { Control } from './control.ts';
import { counterFence } from './counter-fence.ts';
import { messageOnly } from './message-only.ts';
import { setnxExpire } from './setnx-expire.ts';

export const controls: Readonly<Record<string, Control>> = {
  blindDelete,
  setnxExpire,
  clientClockSemaphore,
  messageOnly,
  counterFence,
};
