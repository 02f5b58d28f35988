/** The semaphore on a real server: one script per operation. */
import type { Client } from '../client.ts';
import { argumentError, noLimitText, prefixed } from '../errors.ts';
import type { SemaphoreKeys } from '../keys.ts';
import { scripts } from '../lua/generated.ts';
import { tooManyPermits } from '../options.ts';
import type { Script } from './outgoing.ts';
import { QUEUE_TTL_MS, rows, sharedReply, texts } from './replies.ts';
import type { ScriptRunner } from './script-runner.ts';
import {
  type AcquireReply,
  type AcquireRequest,
  type CallLimits,
  entryKind,
  entryText,
  type GrantedReply,
  type Holdable,
  isGrant,
  parseSlots,
  type QueueEntry,
  type ReleaseReply,
  type RenewReply,
  type SemaphoreHold,
  type SemaphoreRules,
  type SemaphoreState,
  type StoredSemaphore,
} from './store.ts';

/** How many leases one script call tells of. */
const PAGE = 1_000;

export class RedisSemaphore implements StoredSemaphore {
  readonly kind = 'semaphore';
  readonly name: string;

  constructor(
    readonly client: Client,
    private readonly runner: ScriptRunner,
    private readonly keys: SemaphoreKeys,
    readonly rules: SemaphoreRules,
    private readonly channelOf: (mainKey: string) => string,
  ) {
    this.name = keys.name;
  }

  get key(): string {
    return this.keys.permits;
  }

  get channel(): string {
    return this.channelOf(this.key);
  }

  permits(count: number): Holdable {
    return new Permits(this, count);
  }

  async setLimit(limit: number, limits: CallLimits): Promise<void> {
    const reply = await this.run(scripts.semaphoreLimit, [String(limit)], limits);
    if (reply === 'more') await this.serve(limits);
  }

  async inspect(limits: CallLimits): Promise<SemaphoreState> {
    const found = new Map<string, SemaphoreHold>();
    for (let offset = 0; ; offset += PAGE) {
      const reply = await this.run(scripts.semaphoreInspect, [String(offset), String(PAGE)], limits);
      const [nowUs, limit, held, queueLength, waiters, leases] = reply as unknown[];
      const serverUs = Number(nowUs);
      const page = rows(leases, 5).map((row) => hold(row, serverUs));
      for (const one of page) found.set(`${one.clientId} ${one.fencingToken}`, one);
      if (page.length < PAGE) {
        const all = [...found.values()];
        const ended = all.filter(({ remainingMs }) => remainingMs <= 0);
        return {
          limit: limit === '' ? undefined : Number(limit),
          held: Number(held) - ended.reduce((sum, { permits }) => sum + permits, 0),
          leases: all.filter(({ remainingMs }) => remainingMs > 0),
          queueLength: Number(queueLength),
          waiters: rows(waiters, 3).map((row) => waiter(row, serverUs)),
          serverUs,
        };
      }
    }
  }

  async forceRelease(fencingToken: number, limits: CallLimits): Promise<ReleaseReply> {
    const call = { ...limits, subject: this };
    const [holderId, permits = ''] = texts(
      await this.runner.script(scripts.semaphoreLease, [this.key], [String(fencingToken)], call),
    );
    if (holderId === undefined) return 'expired';
    return await this.giveBack([holderId, permits, String(fencingToken), '1', ''], limits);
  }

  async giveBack(args: readonly string[], limits: CallLimits): Promise<ReleaseReply> {
    const [status, served, given] = texts(await this.run(scripts.semaphoreRelease, args, limits));
    if (served === 'more') await this.serve(limits);
    if (status === 'expired') return 'expired';
    return served === 'mute' ? 'mute' : Number(given) > 0 ? 'given' : 'released';
  }

  run(
    script: Script,
    args: readonly string[],
    limits: CallLimits,
    late?: (raw: unknown) => void,
  ): Promise<unknown> {
    return this.runner.script(script, [this.keys.permits, this.keys.waiters], args, {
      ...limits,
      subject: this,
      late,
    });
  }

  noticeLimit(stored: string | undefined): void {
    const { limit, limitDiffers } = this.rules;
    if (stored !== undefined && limit !== undefined && Number(stored) !== limit) limitDiffers(Number(stored));
  }

  /** For the rest of a queue that was too long for one call. Each call gets 500 further, so this ends. */
  async serve(limits: CallLimits): Promise<void> {
    for (;;) {
      const [, served] = texts(await this.run(scripts.semaphoreRelease, ['', '0', '', '0', ''], limits));
      if (served !== 'more') return;
    }
  }

  renewal(args: readonly string[], limits: CallLimits): Promise<unknown> {
    return this.runner.script(scripts.semaphoreRenew, [this.key], args, { ...limits, subject: this });
  }
}

/** So many permits of one semaphore, for one lease. */
class Permits implements Holdable {
  readonly kind = 'semaphore';
  readonly shared = true;

  constructor(
    private readonly semaphore: RedisSemaphore,
    readonly permits: number,
  ) {}

  get name(): string {
    return this.semaphore.name;
  }

  get key(): string {
    return this.semaphore.key;
  }

  get channel(): string {
    return this.semaphore.channel;
  }

  async acquire(
    request: AcquireRequest,
    limits: CallLimits,
    late: (grant: GrantedReply) => void,
  ): Promise<AcquireReply> {
    const { limit, slots } = this.semaphore.rules;
    const args = [
      ...[request.holderId, String(this.permits), String(request.ttlMs)],
      ...[limit === undefined ? '' : String(limit), slots ? '1' : '0'],
      ...[this.member(request.entry), request.ticket ?? '', String(QUEUE_TTL_MS)],
    ];
    const lateGrant = (raw: unknown) => {
      const reply = acquireReply(texts(raw));
      if (reply !== undefined && isGrant(reply)) late(reply);
    };
    // Each 'more' has dropped 500 leases that had ended, or got 500 further in the queue.
    for (;;) {
      const raw = texts(await this.semaphore.run(scripts.semaphoreAcquire, args, limits, lateGrant));
      this.semaphore.noticeLimit(raw[1]);
      const reply = acquireReply(raw) ?? this.refused(raw);
      if (reply !== 'more') return reply;
    }
  }

  async release(value: string, limits: CallLimits, entry?: QueueEntry): Promise<ReleaseReply> {
    const [holderId = '', token = ''] = value.split(':');
    const slotted = this.semaphore.rules.slots ? '1' : '0';
    const args = [holderId, String(this.permits), token, slotted, this.member(entry)];
    return await this.semaphore.giveBack(args, limits);
  }

  async renew(value: string, ttlMs: number, limits: CallLimits): Promise<RenewReply> {
    const [holderId = '', token = ''] = value.split(':');
    const args = [holderId, String(this.permits), token, String(ttlMs)];
    return String(await this.semaphore.renewal(args, limits)) as RenewReply;
  }

  private member(entry: QueueEntry | undefined): string {
    const { client, rules } = this.semaphore;
    return entry === undefined
      ? ''
      : entryText(entry, entryKind(client.cluster, false), `${this.permits} ${rules.slots ? 1 : 0} `);
  }

  private refused([status, stored]: readonly string[]): 'more' {
    if (status === 'more') return status;
    if (status === 'too many') throw tooManyPermits(this.permits, Number(stored));
    throw argumentError(prefixed(this, noLimitText()));
  }
}

const acquireReply = ([status = '', , ...rest]: readonly string[]): AcquireReply | undefined =>
  sharedReply(status, rest);

function hold(
  [clientId = '', permits, token, endsUs, slots]: readonly string[],
  serverUs: number,
): SemaphoreHold {
  return {
    clientId,
    permits: Number(permits),
    fencingToken: Number(token),
    remainingMs: (Number(endsUs) - serverUs) / 1000,
    slots: parseSlots(slots) ?? [],
  };
}

function waiter([clientId = '', permits, ticket]: readonly string[], serverUs: number) {
  return { clientId, permits: Number(permits), waitedMs: Math.max(0, (serverUs - Number(ticket)) / 1000) };
}
