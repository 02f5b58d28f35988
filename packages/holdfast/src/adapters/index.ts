export { fromIoredis, type IoredisLike } from './ioredis.ts';
export { fromIoredisCluster, type IoredisClusterLike } from './ioredis-cluster.ts';
export { fromIovalkey, fromIovalkeyCluster } from './iovalkey.ts';
export {
  fromNodeRedis,
  fromNodeRedisPool,
  type NodeRedisLike,
  type NodeRedisPoolLike,
} from './node-redis.ts';
export { fromNodeRedisCluster, type NodeRedisClusterLike } from './node-redis-cluster.ts';
export { fromNodeRedisSentinel, type NodeRedisSentinelLike } from './node-redis-sentinel.ts';
export { recogniseClient } from './recognise.ts';
