export {
  fromIoredis,
  fromIoredisCluster,
  fromIovalkey,
  fromNodeRedis,
  fromNodeRedisCluster,
  fromNodeRedisSentinel,
} from './adapters/index.ts';
export type { Client, Command, Subscriber, SubscriberEvents } from './client.ts';
export {
  AcquireTimeoutError,
  ClosedError,
  ConnectionError,
  HoldfastError,
  LeaseLostError,
  type LeaseLostReason,
  ServerRefusedError,
  WrongTypeError,
} from './errors.ts';
export type { HoldfastEventName, HoldfastEvents } from './events.ts';
export type { ReleaseOutcome } from './grant.ts';
export { Holdfast, type InMemoryOptions } from './holdfast.ts';
export type { Inspection, ProcessCard } from './inspect/inspect.ts';
export type { Lease } from './lease.ts';
export type { Lock } from './lock.ts';
export { MemoryServer } from './memory/memory-store.ts';
export type { AcquireOptions, HoldfastOptions, LockOptions } from './options.ts';
export type { RenewOutcome } from './watchdog.ts';
