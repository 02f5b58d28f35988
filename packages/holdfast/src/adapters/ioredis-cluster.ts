import { type Client, wireArguments } from '../client.ts';
import { keySlot } from '../slot.ts';
import { checkedPrefix } from './client-error.ts';
import { shareWatch, type Watch, watchDrops } from './drops.ts';
import { callIoredis, type IoredisCommander, type IoredisOptions } from './ioredis.ts';
import { type IoredisConnection, openIoredisLink } from './ioredis-link.ts';
import { hostAndPort } from './link.ts';
import { Subscriptions } from './subscriptions.ts';

interface ClusterNode extends IoredisConnection {
  readonly options: IoredisOptions & { readonly port?: number | undefined };
  duplicate(override?: object): IoredisConnection;
}

export interface IoredisClusterLike extends IoredisCommander {
  readonly options: IoredisOptions & { readonly natMap?: unknown };
  /** For each slot the addresses of its nodes, the master first; as the client reaches them. */
  readonly slots: readonly (readonly string[])[];
  refreshSlotsCache(done?: () => void): void;
  nodes(role?: 'all' | 'master' | 'slave'): ClusterNode[];
}

/** A client of `Cluster` from ioredis 5 or 6, or iovalkey. Messages go through connections of one's own, one per node. */
export function fromIoredisCluster(client: IoredisClusterLike, kind = 'ioredis'): Client {
  const keyPrefix = checkedPrefix(client.options.keyPrefix);
  const drops = shareWatch(client, () => watchNodes(client));
  return {
    kind,
    keyPrefix,
    cluster: true,
    get endpoint() {
      const options = client.nodes('all')[0]?.options;
      return options && { host: options.host ?? 'localhost', tls: Boolean(options.tls) };
    },
    get state() {
      return client.status === 'end' ? 'closed' : 'usable';
    },
    get drops() {
      return drops.count();
    },
    send: (command) => callIoredis(client, client.options, command.name, wireArguments(command)),
    async openSubscriber(events) {
      return new Subscriptions(
        {
          async homeOf(channel, tried) {
            if (tried !== undefined)
              await new Promise<void>((done) => client.refreshSlotsCache(() => done()));
            return client.slots[keySlot(channel)]?.[0];
          },
          open(address, link) {
            const node = client.nodes('master')[0] ?? client.nodes('all')[0];
            if (!node) throw new Error('the cluster client knows no node yet');
            const at = address === undefined ? {} : reachable(client, address);
            return openIoredisLink(
              (override) => node.duplicate({ ...override, readOnly: false, ...at }),
              true,
            )(link);
          },
        },
        events,
      );
    },
    detach: () => drops.detach(),
  };
}

/** What `natMap` makes of an address from MOVED. Those in `slots` have been through it, and it does not know them. */
function reachable(client: IoredisClusterLike, address: string): { host?: string; port?: number } {
  const { natMap } = client.options;
  const mapped =
    typeof natMap === 'function' ? natMap(address) : (natMap as Record<string, object> | null)?.[address];
  return mapped ?? hostAndPort(address);
}

/** Every node has a connection of its own, and comes and goes. */
function watchNodes(client: IoredisClusterLike): Watch {
  const watched = new Map<object, Watch>();
  let gone = 0;
  const add = (node: ClusterNode) => watched.has(node) || watched.set(node, watchDrops(node));
  const remove = (node: ClusterNode) => {
    gone += 1 + (watched.get(node)?.count() ?? 0);
    watched.get(node)?.detach();
    watched.delete(node);
  };
  for (const node of client.nodes('all')) add(node);
  client.on('+node', add).on('-node', remove);
  return {
    count: () => [...watched.values()].reduce((sum, drops) => sum + drops.count(), gone),
    detach() {
      client.off('+node', add).off('-node', remove);
      for (const drops of watched.values()) drops.detach();
    },
  };
}
