/* What a run measured. `--json` prints exactly this. Times in ms. */

/** From one `setLimit` to the next. */
export interface Change {
  /** 0: none was set. */
  from: number;
  to: number;
  /** From the call of `setLimit` to its answer. */
  answeredAfterMs: number;
  /** How many held a permit right after. */
  holders: number;
  /** Until as many more queries had begun as it was raised by; `null` when it was not. */
  servedAfterMs: number | null;
  /** Until the first query with a newer permit began, and how many of the holders had ended by then. */
  admittedAfterMs: number | null;
  endedBefore: number;
  /** Until no more than the new limit ran. */
  reachedAfterMs: number | null;
  /** The most queries at once in all this time, and since the limit was reached. */
  max: number;
  maxAfterReached: number;
  /** Queries that were admitted above the limit. */
  tooMany: number;
}

export interface Moment {
  atMs: number;
  limit: number | undefined;
  held: number;
  free: number;
  waiting: number;
  /** As the database counts. */
  running: number;
}

export interface Result {
  server: string;
  workers: number;
  tasks: number;
  queries: number;
  /** Queries whose sender hung up, and leases that were lost. */
  interrupted: number;
  lost: number;
  changes: Change[];
  /** For each worker, the limit it was started with and how often it was told that another one counts. */
  warnings: { worker: string; limit: number; times: number }[];
  warning: string;
  timeline: Moment[];
  end: { limit: number | undefined; held: number; waiting: number };
  tookMs: number;
}

/** What must not happen, if it did happen in this run. */
export function broken({ changes, interrupted, lost, warnings, end }: Result): string | undefined {
  const untold = warnings.filter(({ times }) => times !== 1);
  return [
    ...changes.flatMap(brokenChange),
    interrupted > 0 && `${interrupted} queries were interrupted`,
    lost > 0 && `${lost} leases were lost`,
    ...untold.map(({ worker, times }) => `${worker} was told ${times} times that its limit does not count`),
    end.held + end.waiting > 0 && `at the end ${end.held} permits were held and ${end.waiting} waited`,
  ].find((text) => text !== false);
}

function brokenChange({ from, to, max, maxAfterReached, tooMany }: Change): (string | false)[] {
  const when = `with the limit set from ${from} to ${to}`;
  return [
    max > Math.max(from, to) && `${when}, ${max} queries ran at once`,
    maxAfterReached > to && `${when} and reached, ${maxAfterReached} queries ran at once`,
    tooMany > 0 && `${when}, ${tooMany} queries were admitted above it`,
  ];
}
