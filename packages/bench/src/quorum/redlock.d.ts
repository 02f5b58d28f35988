/** redlock 5 has types, but its `exports` do not lead to them; this is what is used of it. */
declare module 'redlock' {
  import type { Redis } from 'ioredis';

  export interface Settings {
    readonly retryCount: number;
    readonly retryDelay: number;
    readonly retryJitter: number;
  }

  export interface Lock {
    release(): Promise<unknown>;
  }

  export default class Redlock {
    constructor(clients: Iterable<Redis>, settings?: Partial<Settings>);
    acquire(resources: string[], durationMs: number): Promise<Lock>;
  }
}
