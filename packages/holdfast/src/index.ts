export {
  fromIoredis,
  fromIoredisCluster,
  fromIovalkey,
  fromNodeRedis,
  fromNodeRedisCluster,
  fromNodeRedisSentinel,
} from './adapters/index.ts';
export type { ProcessCard } from './cards.ts';
export type { Client, Command, Subscriber, SubscriberEvents } from './client.ts';
export {
  AcquireTimeoutError,
  ClosedError,
  ConnectionError,
  DeadlockError,
  GuardedWriteError,
  HoldfastError,
  LeaseLostError,
  type LeaseLostReason,
  type NodeVote,
  QuorumError,
  ServerRefusedError,
  type Subject,
  type WaitLink,
  WrongTypeError,
} from './errors.ts';
export type { HoldfastEventName, HoldfastEvents } from './events.ts';
export type { ForceReleaseOutcome, ReleaseOutcome } from './grant.ts';
export type { GuardedCommand } from './guard.ts';
export { Holdfast, type InMemoryOptions } from './holdfast.ts';
export type { Inspection, LockWaiter } from './inspect/inspect.ts';
export type { ReadWriteHolder, ReadWriteInspection, ReadWriteWaiter } from './inspect/inspect-read-write.ts';
export type { SemaphoreHolder, SemaphoreInspection, SemaphoreWaiter } from './inspect/inspect-semaphore.ts';
export type { Lease } from './lease.ts';
export type { LeaseSet } from './lease-set.ts';
export type { Lock } from './lock.ts';
export type { AllPart, LockSet } from './lock-set.ts';
export { MemoryServer } from './memory/memory-server.ts';
export type {
  AcquireOptions,
  HeldLease,
  HoldfastOptions,
  LeaseOptions,
  LockOptions,
  SemaphoreAcquireOptions,
  SemaphoreOptions,
  UpgradeOptions,
} from './options.ts';
export type { ReadWrite, ReadWriteSide } from './read-write.ts';
export type { ReadWriteLease, UpgradeableLease, WriteLease } from './read-write-lease.ts';
export type { Semaphore } from './semaphore.ts';
export type { SemaphoreLease, Slot } from './semaphore-lease.ts';
export type { RenewOutcome } from './watchdog.ts';
