/** What of a read-write lock is acquired on a real server: its sides, and the upgrades of its leases. */
import { LeaseLostError } from '../errors.ts';
import { scripts } from '../lua/generated.ts';
import type { RedisReadWrite } from './redis-read-write.ts';
import { QUEUE_TTL_MS } from './replies.ts';
import {
  type AcquireReply,
  type AcquireRequest,
  type CallLimits,
  type GrantedReply,
  type Holdable,
  type QueueEntry,
  type ReadWriteHoldable,
  type ReadWriteMode,
  type ReleaseReply,
  type RenewReply,
  UPGRADE_WEIGHT,
  WEIGHTS,
} from './store.ts';

/** What its sides and its upgrades have in common. */
abstract class Part implements Holdable {
  readonly kind = 'read-write lock';
  readonly shared = true;
  readonly name: string;
  readonly key: string;
  readonly channel: string;

  constructor(protected readonly whole: RedisReadWrite) {
    this.name = whole.name;
    this.key = whole.key;
    this.channel = whole.channel;
  }

  abstract readonly permits: number;
  abstract acquire(
    request: AcquireRequest,
    limits: CallLimits,
    late: (grant: GrantedReply) => void,
  ): Promise<AcquireReply>;
  abstract release(value: string, limits: CallLimits, entry?: QueueEntry): Promise<ReleaseReply>;
  abstract renew(value: string, ttlMs: number, limits: CallLimits): Promise<RenewReply>;
}

/** What reads, may upgrade, or writes. */
export class Side extends Part implements ReadWriteHoldable {
  readonly permits: number;

  constructor(
    whole: RedisReadWrite,
    public mode: ReadWriteMode,
    private readonly letter: string,
  ) {
    super(whole);
    this.permits = WEIGHTS[mode];
  }

  async acquire(
    { holderId, ttlMs, entry, ticket = '' }: AcquireRequest,
    limits: CallLimits,
    late: (grant: GrantedReply) => void,
  ): Promise<AcquireReply> {
    const standing = [this.whole.member(entry, this.letter), ticket, String(QUEUE_TTL_MS)];
    const args = [holderId, this.letter, String(ttlMs), ...standing];
    const reply = await this.whole.asked(scripts.readWriteAcquire, args, limits, late);
    return reply as AcquireReply;
  }

  release(value: string, limits: CallLimits, entry?: QueueEntry): Promise<ReleaseReply> {
    return this.whole.release([...halves(value), this.whole.member(entry, this.letter)], limits);
  }

  async renew(value: string, ttlMs: number, limits: CallLimits): Promise<RenewReply> {
    const writes = this.mode === 'write';
    const reply = await this.whole.renew(value, ttlMs, writes, limits);
    // A downgrade may have overtaken it.
    const downgraded = writes && this.mode !== 'write';
    return reply === 'expired' && downgraded ? this.renew(value, ttlMs, limits) : reply;
  }
}

/** The upgrade of one lease. */
export class Upgrade extends Part {
  readonly permits = UPGRADE_WEIGHT;

  constructor(
    whole: RedisReadWrite,
    /** Of the lease. */
    private readonly value: string,
    private readonly numberOf: (holderId: string) => number,
  ) {
    super(whole);
  }

  async acquire(
    { holderId, entry }: AcquireRequest,
    limits: CallLimits,
    late: (grant: GrantedReply) => void,
  ): Promise<AcquireReply> {
    const standing = [String(this.numberOf(holderId)), this.member(entry), String(QUEUE_TTL_MS)];
    const args = [...halves(this.value), ...standing];
    const reply = await this.whole.asked(scripts.readWriteUpgrade, args, limits, late);
    if (reply !== undefined) return reply;
    if (entry !== undefined) await this.whole.serve(limits);
    throw new LeaseLostError(this, 'lost');
  }

  /** @param given who waited, and the token of the upgrade where it is known */
  async release(given: string, limits: CallLimits, entry?: QueueEntry): Promise<ReleaseReply> {
    const [holderId, token] = halves(given);
    const args = [...halves(this.value), String(this.numberOf(holderId)), token, this.member(entry)];
    const reply = await this.whole.run(scripts.readWriteStepDown, args, limits);
    const { status, handed } = await this.whole.served(reply, limits);
    return status === 'gone' ? 'expired' : handed;
  }

  /** An upgrade lasts as long as its lease. */
  renew(_given: string, ttlMs: number, limits: CallLimits): Promise<RenewReply> {
    return this.whole.renew(this.value, ttlMs, true, limits);
  }

  private member(entry: QueueEntry | undefined): string {
    const number = entry === undefined ? 0 : this.numberOf(entry.holderId);
    return this.whole.member(entry, `${this.value}/${number}`);
  }
}

/** `holderId:token`; the token is `''` where it is not known. */
export function halves(value: string): [holderId: string, token: string] {
  const [holderId = '', token = ''] = value.split(':');
  return [holderId, token];
}
