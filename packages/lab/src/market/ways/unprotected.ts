/** Nothing: the control that shows that the check at the end can fail. Never part of the table. */
import type { Mutex } from './locked.ts';

export const noLock: Mutex = {
  acquire: async () => async () => {},
  close: async () => {},
};
