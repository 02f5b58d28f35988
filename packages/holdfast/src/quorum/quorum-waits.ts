/** Who holds what over a majority, and what they wait for. What too few nodes say alike counts as not known, or as not there. */
import type { RedisStore } from '../store/redis-store.ts';
import type { CallLimits, Waits, WantedBy } from '../store/store.ts';
import { at } from './at.ts';
import type { Quorum } from './quorum.ts';
import { answered, holdersByMajority, majorityOf, never } from './votes.ts';

export class QuorumWaits implements Waits {
  constructor(
    private readonly quorum: Quorum,
    private readonly stores: readonly RedisStore[],
  ) {}

  async holders(wanted: WantedBy, limits: CallLimits): Promise<readonly string[] | undefined> {
    const said = await this.each((waits, own) => waits.holders(wanted, own), limits);
    return holdersByMajority(
      said.filter((holders) => holders !== undefined),
      this.stores.length,
    );
  }

  async note(digest: string, text: string | undefined, ttlMs: number, limits: CallLimits): Promise<void> {
    await this.each((waits, own) => waits.note(digest, text, ttlMs, own), limits);
  }

  async noted(digest: string, limits: CallLimits): Promise<string | undefined> {
    const said = await this.each((waits, own) => waits.noted(digest, own), limits);
    return said.find((text) => text !== undefined && this.isMajority(said, text));
  }

  private get majority(): number {
    return majorityOf(this.stores.length);
  }

  private isMajority<T>(said: readonly T[], value: T): boolean {
    return said.filter((one) => one === value).length >= this.majority;
  }

  private async each<T>(
    ask: (waits: Waits, limits: CallLimits) => Promise<T>,
    limits: CallLimits,
  ): Promise<T[]> {
    const own = this.quorum.nodeLimits(limits);
    return answered(
      await this.quorum.ask({ ask: (i) => ask(at(this.stores, i).waits, own), decided: never }),
    );
  }
}
