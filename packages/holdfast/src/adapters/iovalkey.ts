import type { Client } from '../client.ts';
import { fromIoredis, type IoredisLike } from './ioredis.ts';
import { fromIoredisCluster, type IoredisClusterLike } from './ioredis-cluster.ts';

/** iovalkey is ioredis under another name, with the same shape. */
export const fromIovalkey = (client: IoredisLike): Client => fromIoredis(client, 'iovalkey');

export const fromIovalkeyCluster = (client: IoredisClusterLike): Client =>
  fromIoredisCluster(client, 'iovalkey');
