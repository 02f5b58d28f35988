/** In the order in which they run. */
import { abort } from './abort.ts';
import { blocked } from './blocked.ts';
import { calm } from './calm.ts';
import { clocks } from './clocks.ts';
import { cluster } from './cluster.ts';
import { connections } from './connections.ts';
import { controls } from './controls.ts';
import { probes } from './probes.ts';
import { processes } from './processes.ts';
import { quorum } from './quorum.ts';
import { refusals } from './refusals.ts';
import { restarts } from './restarts.ts';
import type { Scenario } from './scenario.ts';
import { sentinel } from './sentinel.ts';
import { severalLocks } from './several.ts';
import { tidy } from './tidy.ts';

export const scenarios: readonly Scenario[] = [
  calm,
  processes,
  blocked,
  connections,
  abort,
  severalLocks,
  tidy,
  restarts,
  sentinel,
  cluster,
  refusals,
  clocks,
  quorum,
  probes,
  controls,
];
