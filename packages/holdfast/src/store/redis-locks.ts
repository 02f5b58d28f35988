/** Several locks of one server, or of one slot of a Cluster, that are taken in one step. They are renewed and released one by one. */
import { WrongTypeError } from '../errors.ts';
import { scripts } from '../lua/generated.ts';
import { acquireReply, type RedisLock } from './redis-lock.ts';
import type { ScriptRunner } from './script-runner.ts';
import {
  type AcquireReply,
  type AcquireRequest,
  type CallLimits,
  type GrantedReply,
  type Holdable,
  isGrant,
  type ReleaseReply,
  type RenewReply,
} from './store.ts';

export class RedisLocks implements Holdable {
  readonly kind = 'lock';
  readonly shared = false;
  readonly names: readonly string[];
  readonly name: string;
  readonly key: string;
  readonly channel: string;

  constructor(
    private readonly runner: ScriptRunner,
    private readonly locks: readonly [RedisLock, ...RedisLock[]],
  ) {
    this.names = locks.map(({ name }) => name);
    this.name = this.names.join(', ');
    this.key = locks[0].key;
    this.channel = locks[0].channel;
  }

  async acquire(
    { holderId, ttlMs }: AcquireRequest,
    limits: CallLimits,
    late: (grant: GrantedReply) => void,
  ): Promise<AcquireReply> {
    const keys = this.locks.flatMap(({ threeKeys }) => threeKeys);
    const lateGrant = (raw: unknown) => {
      const reply = acquireReply(raw);
      if (isGrant(reply)) late(reply);
    };
    const call = { ...limits, subject: this, late: lateGrant };
    const args = [holderId, String(ttlMs)];
    const reply = await this.runner.script(scripts.acquireAll, keys, args, call).then(acquireReply, busy);
    if (isGrant(reply)) for (const lock of this.locks) lock.learn(reply);
    return reply;
  }

  async release(value: string, limits: CallLimits): Promise<ReleaseReply> {
    return worst(await Promise.all(this.locks.map((lock) => lock.release(value, limits))), RELEASES);
  }

  async renew(value: string, ttlMs: number, limits: CallLimits): Promise<RenewReply> {
    return worst(await Promise.all(this.locks.map((lock) => lock.renew(value, ttlMs, limits))), RENEWALS);
  }
}

/** Which of the names is something else is told when they are taken one by one. */
function busy(error: unknown): AcquireReply {
  if (error instanceof WrongTypeError) return { status: 'busy', remainingMs: -1, foreign: true };
  throw error;
}

/** The worst first. */
const RELEASES = ['lost', 'expired', 'mute', 'given', 'released'] as const;
const RENEWALS = ['lost', 'expired', 'renewed'] as const;

function worst<T extends string>(replies: readonly T[], order: readonly T[]): T {
  return order.find((one) => replies.includes(one)) ?? (order.at(-1) as T);
}
