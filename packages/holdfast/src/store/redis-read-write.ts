/** The read-write lock on a real server: one script per operation. */
import type { Client } from '../client.ts';
import type { ReadWriteKeys } from '../keys.ts';
import { scripts } from '../lua/generated.ts';
import type { Script } from './outgoing.ts';
import { halves, Side, Upgrade } from './read-write-parts.ts';
import { rows, sharedReply, texts } from './replies.ts';
import type { ScriptRunner } from './script-runner.ts';
import {
  type AcquireReply,
  attemptNumbers,
  type CallLimits,
  entryKind,
  entryText,
  type GrantedReply,
  type Holdable,
  isGrant,
  type QueueEntry,
  type ReadWriteHold,
  type ReadWriteHoldable,
  type ReadWriteMode,
  type ReadWriteState,
  type ReleaseReply,
  type RenewReply,
  type StoredReadWrite,
} from './store.ts';

/** How many leases one script call tells of. */
const PAGE = 1_000;
/** Where the ends of leases begin: see `parts/read-write-state.lua`. */
const NO_TOKENS = '1000000000000';
/** A place before all others: see `read-write-upgrade.lua`. */
const UPGRADES_US = 1e15;

const LETTERS = { read: 'r', upgradeable: 'u', write: 'w' } as const;
const WANTS = { r: 'read', u: 'upgradeable', w: 'write', '^': 'upgrade' } as const;

export class RedisReadWrite implements StoredReadWrite {
  readonly kind = 'read-write lock';
  readonly name: string;

  constructor(
    readonly client: Client,
    private readonly runner: ScriptRunner,
    private readonly keys: ReadWriteKeys,
    private readonly channelOf: (mainKey: string) => string,
  ) {
    this.name = keys.name;
  }

  get key(): string {
    return this.keys.leases;
  }

  get channel(): string {
    return this.channelOf(this.key);
  }

  side(mode: ReadWriteMode): ReadWriteHoldable {
    return new Side(this, mode, LETTERS[mode]);
  }

  upgrade(value: string, nextNumber: () => number): Holdable {
    return new Upgrade(this, value, attemptNumbers(nextNumber));
  }

  async downgrade(value: string, limits: CallLimits): Promise<'done' | 'gone'> {
    const reply = await this.run(scripts.readWriteStepDown, [...halves(value), '', '', ''], limits);
    return (await this.served(reply, limits)).status as 'done' | 'gone';
  }

  async inspect(limits: CallLimits): Promise<ReadWriteState> {
    const found = new Map<string, ReadWriteHold>();
    for (let from = NO_TOKENS; ; ) {
      const reply = await this.run(scripts.readWriteInspect, [from, String(PAGE)], limits);
      const [nowUs, queueLength, waiters, leases] = reply as unknown[];
      const serverUs = Number(nowUs);
      const page = rows(leases, 5);
      for (const one of page.map((row) => hold(row, serverUs)))
        found.set(`${one.clientId} ${one.sinceUs}`, one);
      if (page.length < PAGE) {
        return {
          leases: [...found.values()].filter(({ remainingMs }) => remainingMs > 0),
          queueLength: Number(queueLength),
          waiters: rows(waiters, 3).map((row) => waiter(row, serverUs)),
          serverUs,
        };
      }
      // By their end, not by their place: a lease that is renewed meanwhile moves behind all others, and the rest would move up.
      const last = page.at(-1)?.[4] ?? '';
      from = last === from ? `(${last}` : last;
    }
  }

  async forceRelease(fencingToken: number, limits: CallLimits): Promise<ReleaseReply> {
    const call = { ...limits, subject: this };
    const asked = this.runner.script(scripts.readWriteLease, [this.key], [String(fencingToken)], call);
    const [holderId, token = ''] = texts(await asked);
    return holderId === undefined ? 'expired' : await this.release([holderId, token, ''], limits);
  }

  async release(args: readonly string[], limits: CallLimits): Promise<ReleaseReply> {
    const reply = await this.run(scripts.readWriteRelease, args, limits);
    const { status, handed } = await this.served(reply, limits);
    return status === 'expired' ? 'expired' : handed;
  }

  run(
    script: Script,
    args: readonly string[],
    limits: CallLimits,
    late?: (raw: unknown) => void,
  ): Promise<unknown> {
    const call = { ...limits, subject: this, late };
    return this.runner.script(script, [this.keys.leases, this.keys.turns], args, call);
  }

  /** Each 'more' has dropped 500 leases that had ended, or got 500 further in the queue. */
  async asked(
    script: Script,
    args: readonly string[],
    limits: CallLimits,
    late: (grant: GrantedReply) => void,
  ): Promise<AcquireReply | undefined> {
    const lateGrant = (raw: unknown) => {
      const reply = acquireReply(texts(raw));
      if (reply !== undefined && isGrant(reply)) late(reply);
    };
    for (;;) {
      const raw = texts(await this.run(script, args, limits, lateGrant));
      if (raw[0] !== 'more') return acquireReply(raw);
    }
  }

  /** The status of what served the queue, after serving the rest of one that was too long for one call. */
  async served(reply: unknown, limits: CallLimits): Promise<Served> {
    const [status = '', served, given] = texts(reply);
    if (served === 'more') await this.serve(limits);
    return { status, handed: served === 'mute' ? 'mute' : Number(given) > 0 ? 'given' : 'released' };
  }

  /** Each call gets 500 further, so this ends. */
  async serve(limits: CallLimits): Promise<void> {
    for (;;) {
      const [, served] = texts(await this.run(scripts.readWriteRelease, ['', '0', ''], limits));
      if (served !== 'more') return;
    }
  }

  async renew(value: string, ttlMs: number, writes: boolean, limits: CallLimits): Promise<RenewReply> {
    const args = [...halves(value), String(ttlMs), writes ? '1' : '0'];
    const call = { ...limits, subject: this };
    return String(await this.runner.script(scripts.readWriteRenew, [this.key], args, call)) as RenewReply;
  }

  member(entry: QueueEntry | undefined, wants: string): string {
    return entry === undefined ? '' : entryText(entry, entryKind(this.client.cluster, false), `${wants} `);
  }
}

export interface Served {
  readonly status: string;
  readonly handed: ReleaseReply;
}

const acquireReply = ([status = '', ...rest]: readonly string[]): AcquireReply | undefined =>
  sharedReply(status, rest);

function hold(
  [clientId = '', mode, token, upgraded, endsUs]: readonly string[],
  serverUs: number,
): ReadWriteHold {
  return {
    clientId,
    mode: WANTS[mode as 'r' | 'u' | 'w'],
    fencingToken: Number(upgraded === '' ? token : upgraded),
    sinceUs: Number(token),
    remainingMs: (Number(endsUs) - serverUs) / 1000,
  };
}

function waiter([clientId = '', wants, ticket]: readonly string[], serverUs: number) {
  const sinceUs = Number(ticket) + (wants === '^' ? UPGRADES_US : 0);
  return {
    clientId,
    wants: WANTS[wants as keyof typeof WANTS],
    waitedMs: Math.max(0, (serverUs - sinceUs) / 1000),
  };
}
