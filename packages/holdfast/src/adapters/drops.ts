import type { EventEmitter } from 'node:events';

/** As much of an EventEmitter as is used here. */
export type Emitter = Pick<EventEmitter, 'on' | 'off'>;

export interface Watch {
  /** Lost connections so far. */
  count(): number;
  detach(): void;
}

const shared = new WeakMap<object, { watch: Watch; users: number }>();

/** One watch per client, however many Holdfast instances share it: their listeners would make Node warn of a leak. */
export function shareWatch(client: object, start: () => Watch): Watch {
  const entry = shared.get(client) ?? { watch: start(), users: 0 };
  shared.set(client, entry);
  entry.users++;
  let attached = true;
  return {
    count: () => entry.watch.count(),
    detach() {
      if (!attached) return;
      attached = false;
      if (--entry.users > 0) return;
      shared.delete(client);
      entry.watch.detach();
    },
  };
}

/** Counts the lost connections of a client that tells of each with `close`. */
export function watchDrops(client: Emitter): Watch {
  return shareWatch(client, () => {
    let drops = 0;
    const listener = () => void drops++;
    client.on('close', listener);
    return { count: () => drops, detach: () => client.off('close', listener) };
  });
}
