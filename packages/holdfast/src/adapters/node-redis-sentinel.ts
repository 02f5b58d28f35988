import type { Client } from '../client.ts';
import type { Emitter } from './drops.ts';
import { prefixOf, wireCommand } from './node-redis.ts';
import { type NodeRedisTemplate, oneShot, openNodeRedisLink } from './node-redis-link.ts';
import { Subscriptions } from './subscriptions.ts';
import { sendOn } from './unwritten.ts';

type MasterClient = NodeRedisTemplate &
  Emitter & { sendCommand(args: string[], options?: object): Promise<unknown> };

/** A client of node-redis 5 or 6, from `createSentinel`. */
export interface NodeRedisSentinelLike {
  readonly isOpen: boolean;
  /** Runs a function with the connection to the present master, and once more with the next one if that breaks. */
  _execute<T>(isReadonly: boolean | undefined, task: (master: MasterClient) => Promise<T>): Promise<T>;
}

/** @param client connects to the master that the Sentinels name */
export function fromNodeRedisSentinel(client: NodeRedisSentinelLike): Client {
  const keyPrefix = prefixOf(client);
  let wasOpen = client.isOpen;
  let drops = 0;
  return {
    kind: 'node-redis sentinel',
    keyPrefix,
    cluster: false,
    get state() {
      if (client.isOpen) wasOpen = true;
      return client.isOpen ? 'usable' : wasOpen ? 'closed' : 'not connected';
    },
    get drops() {
      return drops;
    },
    async send(command) {
      const args = wireCommand(command, keyPrefix);
      let sent = 0;
      return client._execute(false, (master) => {
        // It repeats what was in flight when the connection broke, so a second run is a command sent twice.
        if (sent++ > 0) drops++;
        return sendOn(master, (options) => master.sendCommand(args, options));
      });
    },
    async openSubscriber(events) {
      // Its own `subscribe` cannot tell that messages were missed; a copy of the connection to the master can.
      const open = openNodeRedisLink(() => client._execute(false, async (master) => oneShot(master)));
      return new Subscriptions({ open: (_, link) => open(link) }, events);
    },
    detach() {},
  };
}
