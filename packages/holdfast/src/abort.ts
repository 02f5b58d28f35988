/** Many waits may share one signal: each signal gets a single listener, however many they are, and none when they are over. */
const watchers = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls `then` when `signal` aborts (at once if it has). Returns what takes that back. */
export function onAbort(signal: AbortSignal | undefined, then: () => void): () => void {
  if (signal === undefined) return () => {};
  if (signal.aborted) {
    then();
    return () => {};
  }
  const all = watchers.get(signal) ?? watch(signal);
  all.add(then);
  return () => {
    all.delete(then);
    if (all.size === 0) unwatch(signal);
  };
}

const listeners = new WeakMap<AbortSignal, () => void>();

function watch(signal: AbortSignal): Set<() => void> {
  const all = new Set<() => void>();
  const listener = () => {
    unwatch(signal);
    for (const then of all) then();
  };
  watchers.set(signal, all);
  listeners.set(signal, listener);
  signal.addEventListener('abort', listener, { once: true });
  return all;
}

function unwatch(signal: AbortSignal): void {
  const listener = listeners.get(signal);
  if (listener !== undefined) signal.removeEventListener('abort', listener);
  listeners.delete(signal);
  watchers.delete(signal);
}

/** What `work` becomes; rejects with the signal's reason as soon as it aborts, whatever becomes of `work` then. */
export function unlessAborted<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  if (signal === undefined) return work();
  return new Promise((resolve, reject) => {
    const forget = onAbort(signal, () => reject(signal.reason));
    work()
      .then(resolve, reject)
      .finally(() => forget());
  });
}
