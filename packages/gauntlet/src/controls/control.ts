/** A lock or semaphore that is wrong, for the checks to find: what people write by hand, on ioredis. None of it is exported by the library. */
import type { Redis } from 'ioredis';
import type { Contended } from '../worker/subject.ts';

interface ControlSettings {
  readonly ttlMs: number;
  readonly limit: number;
  /** Of two processes one: for faults that are in a difference. */
  readonly odd: boolean;
}

export type Control = (redis: Redis, settings: ControlSettings) => Contended;
