import type { Line } from './line.ts';

/** Where a wanted channel is subscribed. */
export interface Place {
  /** The line it is on, or being put on. */
  line: Line | undefined;
  /** Being put on a line. */
  moving: boolean;
  /** The cluster node asked last. */
  tried: string | undefined;
  /** The cluster node that dropped the channel, because its slot has another owner now. */
  left: string | undefined;
  /** `subscribe` has been answered with yes. */
  confirmed: boolean;
  /** The answer to `subscribe`. */
  readonly first: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export function newPlace(): Place {
  let resolve = () => {};
  let reject: (error: Error) => void = () => {};
  const first = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  first.catch(() => {}); // a caller that does not wait is no reason to end the process
  const nowhere = { line: undefined, moving: false, tried: undefined, left: undefined, confirmed: false };
  return { ...nowhere, first, resolve, reject };
}
