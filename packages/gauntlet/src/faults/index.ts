/** By their names in a schedule. */
import type { Fault } from './fault.ts';
import { delay, halfOpen, loseReplies, reset } from './network.ts';
import { killHolder, killWaiter, stopHolder } from './processes.ts';
import { clockBack, clockForward, noPermission, outOfMemory, readOnly } from './refusals.ts';
import { restartForgetting, restartKeeping, restoreOlder } from './restarts.ts';
import {
  flushAll,
  flushScripts,
  killConnections,
  killSubscriptions,
  pauseClients,
  stopNode,
  stopServer,
} from './server.ts';

export const faults = {
  killHolder,
  killWaiter,
  stopHolder,
  killConnections,
  killSubscriptions,
  pauseClients,
  flushScripts,
  stopServer,
  flushAll,
  loseReplies,
  halfOpen,
  delay,
  reset,
  restartKeeping,
  restartForgetting,
  restoreOlder,
  outOfMemory,
  readOnly,
  noPermission,
  clockForward,
  clockBack,
  stopNode,
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;
