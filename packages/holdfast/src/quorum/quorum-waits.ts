/** Who holds what over a majority, and what they wait for. What too few nodes say alike counts as not known, or as not there. */
import type { Subject } from '../errors.ts';
import type { RedisStore } from '../store/redis-store.ts';
import type { CallLimits, Waits } from '../store/store.ts';
import { at } from './at.ts';
import type { Quorum } from './quorum.ts';
import { answered, majorityOf, never } from './votes.ts';

export class QuorumWaits implements Waits {
  constructor(
    private readonly quorum: Quorum,
    private readonly stores: readonly RedisStore[],
  ) {}

  /** Of a lock, who has it at a majority; of a semaphore, all who have a slot at one. */
  async holders(subject: Subject, limits: CallLimits): Promise<readonly string[] | undefined> {
    const said = await this.each((waits, own) => waits.holders(subject, own), limits);
    const known = said.filter((holders) => holders !== undefined);
    if (known.length < this.majority) return undefined;
    const everybody = known.flat();
    const here = [...new Set(everybody)].filter((one) => this.isMajority(everybody, one));
    const isSplit = here.length === 0 && everybody.length > 0;
    return isSplit ? undefined : here;
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
