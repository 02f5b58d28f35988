import type { Client } from '../client.ts';
import { keySlot, tagOfSlot } from '../slot.ts';
import type { Emitter } from './drops.ts';
import { hostAndPort } from './link.ts';
import { endpointOf, prefixOf, wireCommand } from './node-redis.ts';
import { type NodeRedisTemplate, oneShot, openNodeRedisLink } from './node-redis-link.ts';
import { Subscriptions } from './subscriptions.ts';
import { sendOn } from './unwritten.ts';

type NodeClient = NodeRedisTemplate & {
  readonly socketEpoch: number;
  sendCommand(args: string[], options?: object): Promise<unknown>;
};

interface ClusterNode {
  readonly address: string;
  readonly client?: NodeClient | undefined;
}

/** A client of node-redis 5 or 6, from `createCluster`. */
export interface NodeRedisClusterLike<Node extends ClusterNode = ClusterNode> extends Emitter {
  readonly isOpen: boolean;
  readonly masters: readonly Node[];
  readonly slots: readonly { readonly master: Node }[];
  readonly nodeByAddress: ReadonlyMap<string, ClusterNode>;
  nodeClient(node: Node): NodeClient | Promise<NodeClient>;
  sendCommand(
    firstKey: string | undefined,
    isReadonly: boolean | undefined,
    args: string[],
    options?: object,
  ): Promise<unknown>;
}

export function fromNodeRedisCluster<Node extends ClusterNode>(client: NodeRedisClusterLike<Node>): Client {
  const keyPrefix = prefixOf(client);
  let wasOpen = client.isOpen;
  let drops = 0;
  return {
    kind: 'node-redis cluster',
    keyPrefix,
    cluster: true,
    get endpoint() {
      const template = client.masters.find((node) => node.client)?.client;
      return template && endpointOf(template);
    },
    get state() {
      if (client.isOpen) wasOpen = true;
      return client.isOpen ? 'usable' : wasOpen ? 'closed' : 'not connected';
    },
    // Nodes come and go and take their counts with them. It never sends a command twice, so a low number does no harm.
    get drops() {
      let reconnects = 0;
      for (const node of client.nodeByAddress.values())
        reconnects += Math.max(0, (node.client?.socketEpoch ?? 0) - 1);
      drops = Math.max(drops, reconnects);
      return drops;
    },
    send: (command) => {
      const args = wireCommand(command, keyPrefix);
      const [firstKey] = command.keys;
      const send = async (options: object) => {
        if (firstKey !== undefined)
          return client.sendCommand(routeOf(keyPrefix + firstKey), false, args, options);
        // Without a key version 6 may send it to every node and merge the answers.
        const [node] = client.masters;
        if (!node) return client.sendCommand(undefined, false, args, options);
        return (await client.nodeClient(node)).sendCommand(args, options);
      };
      return sendOn(client, send, 'node-reconnecting');
    },
    async openSubscriber(events) {
      return new Subscriptions(
        {
          homeOf(channel, tried) {
            if (tried === undefined) return client.slots[keySlot(channel)]?.master.address;
            // Any other master knows the owner, and says MOVED.
            const others = client.masters.filter((node) => node.address !== tried);
            return others[Math.floor(Math.random() * others.length)]?.address ?? tried;
          },
          open: (address, link) => openNodeRedisLink(() => connectionTo(client, address), true)(link),
        },
        events,
      );
    },
    detach() {},
  };
}

/** Its own slot computation takes another tag than the server where a key has an empty `{}`; version 5 never gets there. */
function routeOf(key: string): string {
  return key.includes('{}') ? `{${tagOfSlot(keySlot(key))}}` : key;
}

/** Every node's client is made with the same options, so that any of them is the pattern for one to another node. */
async function connectionTo<Node extends ClusterNode>(
  client: NodeRedisClusterLike<Node>,
  address: string | undefined,
) {
  const node = (address === undefined ? undefined : client.nodeByAddress.get(address)) ?? client.masters[0];
  if (!node) throw new Error('the cluster client is not connected');
  const template = node.client ?? client.masters.find((master) => master.client)?.client;
  if (!template) return oneShot(await client.nodeClient(node as Node));
  if (address === undefined || template === client.nodeByAddress.get(address)?.client)
    return oneShot(template);
  return oneShot(template, mapped(client, address));
}

/** What the user's `nodeAddressMap` makes of an address. */
function mapped(client: object, address: string): object {
  const { nodeAddressMap: map } = (client as { _options?: { nodeAddressMap?: unknown } })._options ?? {};
  const at =
    typeof map === 'function' ? map(address) : (map as Record<string, object> | undefined)?.[address];
  return at ?? hostAndPort(address);
}
