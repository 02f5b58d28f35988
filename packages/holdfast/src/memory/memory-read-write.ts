/** The read-write lock within this process: the same answers as the scripts give. */
import type { Clock } from '../clock.ts';
import { LeaseLostError } from '../errors.ts';
import {
  type AcquireReply,
  type AcquireRequest,
  attemptNumbers,
  type GrantedReply,
  type Holdable,
  type QueueEntry,
  type ReadWriteHoldable,
  type ReadWriteMode,
  type ReadWriteState,
  type ReleaseReply,
  type RenewReply,
  type StoredReadWrite,
  UPGRADE_WEIGHT,
  WEIGHTS,
} from '../store/store.ts';
import { type MemoryServer, serverUs } from './memory-server.ts';
import { ReadWriteData, type ReadWriteHolding, type Turn, type Upgrading } from './read-write-data.ts';

/** A place before all others. */
const UPGRADES_US = 1e15;

export class MemoryReadWrite implements StoredReadWrite {
  readonly kind = 'read-write lock';

  constructor(
    private readonly server: MemoryServer,
    private readonly clock: Clock,
    readonly name: string,
    readonly key: string,
    readonly channel: string,
  ) {}

  side(mode: ReadWriteMode): ReadWriteHoldable {
    const operations = this.holdable({
      acquire: async (request) => this.acquire(request, mode),
      release: async (value, _limits, entry) => this.release(value, entry),
      renew: async (value, ttlMs) => this.renew(value, ttlMs),
    });
    return { ...operations, mode, permits: WEIGHTS[mode] };
  }

  upgrade(value: string, nextNumber: () => number): Holdable {
    const [holderId = ''] = value.split(':');
    const numberOf = attemptNumbers(nextNumber);
    const operations = this.holdable({
      acquire: async (request) => this.upgradeNow(request, { holderId, number: numberOf(request.holderId) }),
      release: async (given, _limits, entry) => {
        const [waiterId = '', token] = given.split(':');
        return this.takeBack({ holderId, number: numberOf(waiterId) }, token, entry);
      },
      renew: async (_given, ttlMs) => this.renew(value, ttlMs),
    });
    return { ...operations, permits: UPGRADE_WEIGHT };
  }

  async downgrade(value: string): Promise<'done' | 'gone'> {
    const data = this.data();
    const lease = mine(data, value);
    if (lease !== undefined) change(lease, 'read');
    this.serve(data);
    return lease === undefined ? 'gone' : 'done';
  }

  async inspect(): Promise<ReadWriteState> {
    const { leases, queue } = this.data();
    const nowUs = serverUs(this.clock);
    const clientOf = (holderId: string) => holderId.split('.')[1] ?? '';
    const holds = [...leases].map(([holderId, { mode, token, upgraded = token, expiresAt }]) => {
      const remainingMs = expiresAt - this.clock.now();
      return { clientId: clientOf(holderId), mode, fencingToken: upgraded, sinceUs: token, remainingMs };
    });
    return {
      leases: holds.sort((a, b) => a.remainingMs - b.remainingMs),
      queueLength: queue.length,
      waiters: queue.all.slice(0, 100).map(({ entry: { holderId, wants }, ticket }) => {
        const upgrades = typeof wants !== 'string';
        const waitedMs = (nowUs - ticket - (upgrades ? UPGRADES_US : 0)) / 1000;
        return { clientId: clientOf(holderId), wants: upgrades ? 'upgrade' : wants, waitedMs };
      }),
      serverUs: nowUs,
    };
  }

  async forceRelease(fencingToken: number): Promise<ReleaseReply> {
    for (const [holderId, { token, upgraded }] of this.data().leases)
      if (token === fencingToken || upgraded === fencingToken)
        return this.release(`${holderId}:${token}`, undefined);
    return 'expired';
  }

  private holdable(operations: Pick<Holdable, 'acquire' | 'release' | 'renew'>): Holdable {
    const { kind, name, key, channel } = this;
    return { kind, name, key, channel, shared: true, ...operations };
  }

  private acquire({ holderId, entry, ttlMs, ticket }: AcquireRequest, mode: ReadWriteMode): AcquireReply {
    const data = this.data();
    const known = data.leases.get(holderId);
    if (known !== undefined) {
      data.queue.leave(holderId);
      return { status: 'yours', fencingToken: known.token, leaseMs: this.remainingMs(known) };
    }
    const nowUs = serverUs(this.clock);
    const queued = data.queue.length > 0;
    const joins = entry !== undefined && (queued || !data.fits(mode));
    const joined = joins ? data.queue.join({ ...entry, wants: mode }, ticket, nowUs) : undefined;
    const served = queued ? this.serve(data, holderId) : 'empty';
    const free = data.fits(mode);
    if (free && served !== 'full') {
      data.queue.leave(holderId);
      return { status: 'granted', ...this.take(data, holderId, mode, ttlMs) };
    }
    const nextMs = this.nextEndMs(data);
    const inTheWay = { remainingMs: free ? Math.min(nextMs, 1_000) : nextMs, foreign: false };
    if (entry === undefined || joined === undefined) return { status: 'busy', ...inTheWay };
    return { status: 'queued', ...inTheWay, ...joined, rank: data.queue.rankOf(entry), serverUs: nowUs };
  }

  private release(value: string, entry: QueueEntry | undefined): ReleaseReply {
    const data = this.data();
    data.queue.leave(entry?.holderId);
    const ours = mine(data, value) !== undefined;
    if (ours) data.leases.delete(value.split(':')[0] ?? '');
    return this.served(data, ours);
  }

  private renew(value: string, ttlMs: number): RenewReply {
    const lease = mine(this.data(), value);
    if (lease === undefined) return 'expired';
    lease.expiresAt = this.clock.now() + ttlMs;
    return 'renewed';
  }

  private upgradeNow({ holderId, entry }: AcquireRequest, upgrading: Upgrading): AcquireReply {
    const data = this.data();
    const lease = data.upgradeable(upgrading);
    if (lease === undefined) {
      data.queue.leave(holderId);
      if (entry !== undefined) this.serve(data);
      throw new LeaseLostError(this, 'lost');
    }
    if (data.possible(upgrading) === true) {
      data.queue.leave(holderId);
      const leaseMs = this.remainingMs(lease);
      if (lease.upgraded !== undefined && lease.lastAttempt === upgrading.number)
        return { status: 'yours', fencingToken: lease.upgraded, leaseMs };
      return { status: 'granted', fencingToken: this.write(data, lease, upgrading), leaseMs };
    }
    const inTheWay = { remainingMs: this.nextEndMs(data, lease), foreign: false };
    if (entry === undefined) return { status: 'busy', ...inTheWay };
    const nowUs = serverUs(this.clock);
    const joined = data.queue.join({ ...entry, wants: upgrading }, String(nowUs - UPGRADES_US), nowUs);
    return { status: 'queued', ...inTheWay, ...joined, rank: 0, serverUs: nowUs };
  }

  /** @param token of the upgrade; without it the attempt is over */
  private takeBack(
    { holderId, number }: Upgrading,
    token: string | undefined,
    entry: QueueEntry | undefined,
  ): ReleaseReply {
    const data = this.data();
    data.queue.leave(entry?.holderId);
    const lease = data.leases.get(holderId);
    const its = lease?.upgraded !== undefined && lease.lastAttempt === number;
    if (its && (token === undefined || lease.upgraded === Number(token))) change(lease, 'upgradeable');
    if (lease !== undefined && token === undefined && number >= lease.lastAttempt)
      lease.lastAttempt = number + 0.5;
    return this.served(data, lease !== undefined);
  }

  /** Without the leases that have ended. */
  private data(): ReadWriteData {
    const data = this.server.at(this.key, this, ReadWriteData);
    const now = this.clock.now();
    for (const [holderId, { expiresAt }] of data.leases) if (expiresAt <= now) data.leases.delete(holderId);
    return data;
  }

  private take(data: ReadWriteData, holderId: string, mode: ReadWriteMode, leaseMs: number) {
    const token = data.nextToken(serverUs(this.clock));
    const expiresAt = this.clock.now() + leaseMs;
    data.leases.set(holderId, { mode, token, upgraded: undefined, lastAttempt: 0, expiresAt });
    return { fencingToken: token, leaseMs };
  }

  private write(data: ReadWriteData, lease: ReadWriteHolding, { number }: Upgrading): number {
    lease.mode = 'write';
    lease.lastAttempt = number;
    lease.upgraded = data.nextToken(serverUs(this.clock));
    return lease.upgraded;
  }

  private serve(data: ReadWriteData, self?: string): 'empty' | 'full' | 'self' {
    const { queue } = data;
    for (let { first } = queue; first !== undefined; first = queue.first) {
      const { entry } = first;
      const { holderId, channel, wants } = entry;
      const listens = holderId === self || this.server.listeners.has(channel);
      const possible = data.possible(wants);
      if (listens && possible === false) return 'full';
      queue.leave(holderId);
      if (holderId === self) return 'self';
      if (listens) this.server.tell(channel, possible ? this.grant(data, entry) : `${holderId} ask`);
    }
    return 'empty';
  }

  private served(data: ReadWriteData, ours: boolean): ReleaseReply {
    const before = data.lastToken;
    this.serve(data);
    return !ours ? 'expired' : data.lastToken > before ? 'given' : 'released';
  }

  /** The message that says so. */
  private grant(data: ReadWriteData, { holderId, leaseMs, wants }: Turn): string {
    const { fencingToken, leaseMs: ms } =
      typeof wants === 'string' ? this.take(data, holderId, wants, leaseMs) : this.upgraded(data, wants);
    return `${holderId} ${fencingToken} ${serverUs(this.clock)} ${ms}`;
  }

  private upgraded(data: ReadWriteData, wants: Upgrading): Pick<GrantedReply, 'fencingToken' | 'leaseMs'> {
    const lease = data.leases.get(wants.holderId) as ReadWriteHolding;
    return { fencingToken: this.write(data, lease, wants), leaseMs: this.remainingMs(lease) };
  }

  private remainingMs({ expiresAt }: ReadWriteHolding): number {
    return Math.floor(expiresAt - this.clock.now());
  }

  private nextEndMs({ leases }: ReadWriteData, except?: ReadWriteHolding): number {
    const others = [...leases.values()].filter((lease) => lease !== except);
    return Math.ceil(Math.min(...others.map(({ expiresAt }) => expiresAt)) - this.clock.now());
  }
}

/** @param value holderId:token, or the holderId alone */
function mine({ leases }: ReadWriteData, value: string): ReadWriteHolding | undefined {
  const [holderId = '', token] = value.split(':');
  const lease = leases.get(holderId);
  return token === undefined || lease?.token === Number(token) ? lease : undefined;
}

function change(lease: ReadWriteHolding, to: ReadWriteMode): void {
  lease.mode = to;
  lease.upgraded = undefined;
}
