/** One of the independent servers. */

import type { Clock } from '../clock.ts';
import type { RedisStore } from '../store/redis-store.ts';
import type { CallLimits } from '../store/store.ts';

export class QuorumNode {
  /** It gave no answer the last time: the others do not wait for it, unless they need it. */
  silent = false;
  /** The server's own name for itself, once it is known; `undefined` when it may not be asked. */
  runId: string | undefined;
  private identifying: Promise<void> | undefined;
  private known = false;

  constructor(
    readonly index: number,
    readonly store: RedisStore,
    private readonly clock: Clock,
    private readonly identified: (node: QuorumNode, serverUs: number, askedAt: number) => void,
  ) {}

  /** For messages: `node 2 (ioredis, 10.0.0.2:6379)`. */
  get label(): string {
    return `node ${this.index + 1} (${this.store.where})`;
  }

  /** Asks once who it is; again when that failed. */
  identify(limits: CallLimits): Promise<void> | undefined {
    if (this.known) return undefined;
    this.identifying ??= this.askWho(limits).finally(() => {
      this.identifying = undefined;
    });
    return this.identifying;
  }

  private async askWho(limits: CallLimits): Promise<void> {
    const askedAt = this.clock.now();
    // Others may wait for the same answer.
    const { runId, serverUs } = await this.store.identify({ ...limits, untimed: false });
    this.runId = runId;
    this.known = true;
    this.identified(this, serverUs, askedAt);
  }
}
