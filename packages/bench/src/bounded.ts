/** Nobody who hangs or throws may sink the run. */

/** Rejects when there is no answer within `withinMs`. What was asked for may still go on. */
export async function within<T>(withinMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${withinMs / 1_000} s`)), withinMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What was rejected or thrown in this process with nobody to catch it: an ordinary program would have ended there. */
export const unhandled: string[] = [];

export function noteUnhandled(): void {
  const note = (reason: unknown) => {
    unhandled.push(reason instanceof Error ? reason.message : String(reason));
  };
  process.on('unhandledRejection', note);
  process.on('uncaughtException', note);
}
