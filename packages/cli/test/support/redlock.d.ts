/** redlock 5 has types, but its `exports` do not lead to them; this is what is used of it. */
declare module 'redlock' {
  import type { Redis } from 'ioredis';

  export default class Redlock {
    constructor(clients: Iterable<Redis>);
    acquire(resources: string[], durationMs: number): Promise<unknown>;
  }
}
