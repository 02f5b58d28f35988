/** What is used of packages without types, or whose `exports` do not lead to them. */
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

declare module 'redlock4' {
  import type { Redis } from 'ioredis';
  import type { Settings } from 'redlock';

  export default class Redlock {
    constructor(clients: Iterable<Redis>, settings?: Partial<Settings>);
    lock(resource: string, ttlMs: number): Promise<{ unlock(): Promise<unknown> }>;
    on(event: 'clientError', listener: () => void): this;
  }
}
