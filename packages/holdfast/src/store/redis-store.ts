/** The store on a real server: locks, semaphores, and what belongs to the process as a whole. */
import type { Client, Subscriber, SubscriberEvents } from '../client.ts';
import type { Clock } from '../clock.ts';
import { argumentError, ServerRefusedError, type Subject } from '../errors.ts';
import { grantChannel, type KeyRules, lockKeys, processKey, readWriteKeys, semaphoreKeys } from '../keys.ts';
import { keySlot } from '../slot.ts';
import { Outgoing } from './outgoing.ts';
import { PlainPair } from './plain-pair.ts';
import { RedisGuard } from './redis-guard.ts';
import { RedisLock } from './redis-lock.ts';
import { RedisLocks } from './redis-locks.ts';
import { RedisReadWrite } from './redis-read-write.ts';
import { RedisSemaphore } from './redis-semaphore.ts';
import { RedisSlots } from './redis-slots.ts';
import { RedisVoter } from './redis-voter.ts';
import { RedisWaits } from './redis-waits.ts';
import { texts } from './replies.ts';
import { ScriptRunner } from './script-runner.ts';
import {
  type Advice,
  type CallLimits,
  entryKind,
  type Holdable,
  type SemaphoreRules,
  type Store,
  type StoredLock,
  type StoredReadWrite,
  type StoredSemaphore,
} from './store.ts';

/** A process's card outlives its last lease by at most this. */
const CARD_TTL_MS = 3_600_000;

export interface RedisStoreOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly prefix: string;
  readonly clientId: string;
  readonly commandTimeoutMs: number;
  readonly minReplicas: number;
}

export class RedisStore implements Store {
  private readonly client: Client;
  private readonly runner: ScriptRunner;
  private readonly pair: PlainPair;
  private readonly rules: KeyRules;
  private readonly clientId: string;

  readonly minReplicas: number;
  readonly waits: RedisWaits;
  private readonly guarded: RedisGuard;

  constructor({ client, clock, prefix, clientId, commandTimeoutMs, minReplicas }: RedisStoreOptions) {
    if (minReplicas > 0 && (client.cluster || client.sendPair === undefined)) throw notWithReplicas();
    this.minReplicas = minReplicas;
    this.client = client;
    this.clientId = clientId;
    this.rules = { prefix, clientPrefix: client.keyPrefix };
    const outgoing = new Outgoing(client);
    this.runner = new ScriptRunner(client, outgoing, clock, commandTimeoutMs);
    this.pair = new PlainPair(client, outgoing, clock, commandTimeoutMs);
    this.waits = new RedisWaits(this.runner, this.rules);
    this.guarded = new RedisGuard(this.runner, this.rules, client.cluster);
  }

  get drops(): number {
    return this.client.drops;
  }

  /** What is sent later arrives later: there is one connection to one server. */
  get keepsOrder(): boolean {
    return this.client.sendPair !== undefined;
  }

  /** For messages: `ioredis, 10.0.0.2:6379`. */
  get where(): string {
    const { kind, endpoint } = this.client;
    return endpoint === undefined ? kind : `${kind}, ${endpoint.host}:${endpoint.port ?? '?'}`;
  }

  lock(name: string): StoredLock {
    return this.lockOf(name, false);
  }

  /** In a Cluster those of one slot. Where replicas confirm, each lock has its own WAIT. */
  together(locks: readonly StoredLock[]): Holdable | undefined {
    const [first, ...others] = locks.filter((lock) => lock instanceof RedisLock);
    if (first === undefined || others.length !== locks.length - 1 || this.minReplicas > 0) return undefined;
    const slotOf = ({ key }: RedisLock) => keySlot(this.rules.clientPrefix + key);
    if (this.client.cluster && others.some((one) => slotOf(one) !== slotOf(first))) return undefined;
    return new RedisLocks(this.runner, [first, ...others]);
  }

  /** This server as one node of a quorum. */
  voter(name: string): RedisVoter {
    return new RedisVoter(this.lockOf(name, true));
  }

  slots(name: string): RedisSlots {
    const kind = entryKind(this.client.cluster, true);
    return new RedisSlots(this.runner, semaphoreKeys(name, this.rules), this.channelOf, kind);
  }

  /** The server's own name for itself, where it may be asked, and its clock. */
  async identify(limits: CallLimits): Promise<Identity> {
    const info = String(
      await this.runner.command({ name: 'INFO', head: ['server'], keys: [] }, limits).catch(orNothing),
    );
    const runId = /^run_id:(\S+)/m.exec(info)?.[1];
    const serverUs = /^server_time_usec:(\d+)/m.exec(info)?.[1];
    if (serverUs !== undefined) return { runId, serverUs: Number(serverUs) };
    const [seconds, us] = texts(await this.runner.command({ name: 'TIME', keys: [] }, limits));
    return { runId, serverUs: Number(seconds) * 1e6 + Number(us) };
  }

  semaphore(name: string, rules: SemaphoreRules): StoredSemaphore {
    const keys = semaphoreKeys(name, this.rules);
    return new RedisSemaphore(this.client, this.runner, keys, rules, this.channelOf);
  }

  readWrite(name: string): StoredReadWrite {
    return new RedisReadWrite(this.client, this.runner, readWriteKeys(name, this.rules), this.channelOf);
  }

  async announce(clientId: string, card: string, limits: CallLimits): Promise<void> {
    const tail = [card, 'PX', String(CARD_TTL_MS)];
    await this.runner.command({ name: 'SET', keys: [processKey(clientId, this.rules.prefix)], tail }, limits);
  }

  async card(clientId: string, limits: CallLimits): Promise<string | undefined> {
    const card = await this.runner.command(
      { name: 'GET', keys: [processKey(clientId, this.rules.prefix)] },
      limits,
    );
    return card === null || card === undefined ? undefined : String(card);
  }

  listen(events: SubscriberEvents): Promise<Subscriber> {
    return this.client.openSubscriber(events);
  }

  /** Uses the rights that a hand-off needs. In a cluster nothing is sent: a release that may not publish says so itself. */
  async probe(channel: string, limits: CallLimits): Promise<void> {
    if (this.client.cluster) return;
    await this.runner.command({ name: 'PUBSUB', head: ['NUMSUB', channel], keys: [] }, limits);
    await this.runner.command({ name: 'PUBLISH', head: [channel, ''], keys: [] }, limits);
  }

  assertUsable(subject?: Subject): void {
    this.runner.assertUsable(subject);
  }

  async advice(limits: CallLimits): Promise<readonly Advice[]> {
    const info = String(await this.runner.command({ name: 'INFO', head: ['memory'], keys: [] }, limits));
    return [...evictionAdvice(info), ...plainTextAdvice(this.client.endpoint)];
  }

  async replicas(ms: number, limits: CallLimits): Promise<number> {
    const head = [String(this.minReplicas), String(Math.max(1, Math.floor(ms)))];
    return Number(await this.runner.command({ name: 'WAIT', head, keys: [] }, limits));
  }

  detach(): void {
    this.client.detach();
  }

  private lockOf(name: string, quorum: boolean): RedisLock {
    const kind = entryKind(this.client.cluster, quorum);
    return new RedisLock(
      this.runner,
      this.pair,
      lockKeys(name, this.rules),
      this.channelOf,
      kind,
      this.guarded,
    );
  }

  private readonly channelOf = (mainKey: string): string =>
    grantChannel(this.clientId, mainKey, this.rules, this.client.cluster);
}

export interface Identity {
  readonly runId: string | undefined;
  readonly serverUs: number;
}

export function notWithReplicas(): TypeError {
  return argumentError(
    'minReplicas: expected a client with one connection to one server, since WAIT counts what its own connection wrote; leave it out for a Cluster, a pool or a list of servers',
  );
}

/** A user who may not ask is no reason not to lock. */
function orNothing(error: unknown): string {
  if (error instanceof ServerRefusedError && error.reply === 'NOPERM') return '';
  throw error;
}

function evictionAdvice(info: string): Advice[] {
  const policy = /maxmemory_policy:(\S+)/.exec(info)?.[1];
  if (policy === undefined || policy === 'noeviction') return [];
  const message = `the server's maxmemory-policy is ${policy}: when memory runs short it throws locks away while they are held; set it to noeviction`;
  return [{ code: 'HOLDFAST_EVICTION_POLICY', message }];
}

function plainTextAdvice(endpoint: Client['endpoint']): Advice[] {
  if (endpoint === undefined || endpoint.tls || /^(localhost|127\.|::1$|\/)/.test(endpoint.host)) return [];
  const message = `the connection to ${endpoint.host} is not encrypted: holderIds and the password cross the network in plain text; use TLS`;
  return [{ code: 'HOLDFAST_PLAIN_TEXT', message }];
}
