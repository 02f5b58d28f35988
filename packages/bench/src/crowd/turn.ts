/** What one worker did for one hold. Times are ms of the clock that all processes of this machine share. */
export interface Turn {
  readonly askedAt: number;
  /** When it was given up on; the worker asks again at once and goes on waiting. */
  readonly failedAt: number[];
  /** Not there: still waiting at the end. */
  gotAt?: number;
  /** Just before the release, or at the end when it still held then. */
  leftAt?: number;
  /** The release was answered with an error. */
  releaseFailed?: true;
}

/** CLOCK_MONOTONIC: one clock for all processes of the machine. */
export const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;
