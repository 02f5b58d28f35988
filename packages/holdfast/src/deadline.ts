/** Deadlines and pauses. The timers here are bounded by the caller's own wait, so they may keep the process alive. */
import { onAbort } from './abort.ts';

export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

/**
 * `promise`, or a `DeadlineError` after `ms`. What it still brings afterwards goes to `late`; a late rejection is
 * swallowed, since its caller has been told already.
 */
export function withDeadline<T>(promise: Promise<T>, ms: number, late?: (value: T) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    let waiting = true;
    const timer = setTimeout(
      () => {
        waiting = false;
        reject(new DeadlineError(`no answer within ${Math.round(ms)} ms`));
      },
      Math.max(1, ms),
    );
    promise.then(
      (value) => {
        clearTimeout(timer);
        if (waiting) resolve(value);
        else late?.(value);
      },
      (error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

/** Resolves after `ms`, or as soon as `signal` aborts. Never rejects. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      forget();
      resolve();
    };
    const timer = setTimeout(done, ms);
    let forget = () => {};
    forget = onAbort(signal, done);
  });
}
