/** Real clients are accepted without a cast. Compiled by `types.test.ts`, never run. */
import { Cluster as Cluster5, Redis as Redis5 } from 'ioredis';
import { Cluster as Cluster6, Redis as Redis6 } from 'ioredis6';
import { Redis as Valkey, Cluster as ValkeyCluster } from 'iovalkey';
import * as redis6 from 'redis';
import * as redis5 from 'redis5';
import {
  fromIoredis,
  fromIoredisCluster,
  fromIovalkey,
  fromIovalkeyCluster,
  fromNodeRedis,
  fromNodeRedisCluster,
  fromNodeRedisPool,
  fromNodeRedisSentinel,
} from '../../src/adapters/index.ts';

fromIoredis(new Redis5());
fromIoredis(new Redis5({ sentinels: [], name: 'main' }));
fromIoredis(new Redis6());
fromIoredis(new Redis6({ protocol: 3, replyMapping: 'resp3' }));
fromIovalkey(new Valkey());
fromIoredisCluster(new Cluster5([]));
fromIoredisCluster(new Cluster6([]));
fromIovalkeyCluster(new ValkeyCluster([]));

fromNodeRedis(redis6.createClient());
fromNodeRedis(redis6.createClient({ RESP: 2 }).withTypeMapping({ [redis6.RESP_TYPES.BLOB_STRING]: Buffer }));
fromNodeRedis(redis5.createClient());
fromNodeRedis(redis5.createClient({ RESP: 3 }));
fromNodeRedisPool(redis6.createClientPool());
fromNodeRedisPool(redis5.createClientPool());
fromNodeRedisCluster(redis6.createCluster({ rootNodes: [] }));
fromNodeRedisCluster(redis5.createCluster({ rootNodes: [] }));
fromNodeRedisSentinel(redis6.createSentinel({ name: 'main', sentinelRootNodes: [] }));
fromNodeRedisSentinel(redis5.createSentinel({ name: 'main', sentinelRootNodes: [] }));
