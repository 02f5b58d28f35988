/** The messages of one actor: each arrives when it is given its turn. */
import type { Redis } from 'ioredis';

export class Ear {
  private readonly channels = new Map<string, (text: string) => void>();
  private readonly arrived: (() => void)[] = [];
  private readonly onMessage = (channel: string, text: string): void => {
    const hear = this.channels.get(channel);
    if (hear !== undefined) this.arrived.push(() => hear(text));
  };

  constructor(private readonly redis: Redis) {
    redis.on('message', this.onMessage);
  }

  get waiting(): number {
    return this.arrived.length;
  }

  async subscribe(channel: string, hear: (text: string) => void): Promise<unknown> {
    this.channels.set(channel, hear);
    return this.redis.subscribe(channel);
  }

  /** Whatever was published before has arrived afterwards. */
  async catchUp(): Promise<void> {
    if (this.channels.size > 0) await this.redis.ping();
  }

  deliver(): void {
    this.arrived.shift()?.();
  }

  async close(): Promise<void> {
    this.redis.off('message', this.onMessage);
    if (this.channels.size > 0) await this.redis.unsubscribe(...this.channels.keys());
    this.channels.clear();
  }
}
