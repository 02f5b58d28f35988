/** The store on a real server: one script per operation (`lua/`), replies turned into unions. */
import type { Client, Subscriber, SubscriberEvents } from '../client.ts';
import type { Clock } from '../clock.ts';
import { ConnectionError } from '../errors.ts';
import { grantChannel, type KeyRules, type LockKeys, lockKeys, processKey } from '../keys.ts';
import { scripts } from '../lua/generated.ts';
import { PlainPair } from './plain-pair.ts';
import { ScriptRunner } from './script-runner.ts';
import {
  type AcquireReply,
  type AcquireRequest,
  type Advice,
  type CallLimits,
  entryText,
  type GrantedReply,
  isGrant,
  type LockState,
  type LockStore,
  type QueueEntry,
  type ReleaseReply,
  type RenewReply,
} from './store.ts';

/** A queue that nobody asks about for this long is forgotten; waiters ask far more often. */
const QUEUE_TTL_MS = 60_000;
/** A process's card outlives its last lease by at most this. */
const CARD_TTL_MS = 3_600_000;

export interface RedisStoreOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly prefix: string;
  readonly clientId: string;
  readonly commandTimeoutMs: number;
}

export class RedisStore implements LockStore {
  private readonly client: Client;
  private readonly runner: ScriptRunner;
  private readonly pair: PlainPair;
  private readonly rules: KeyRules;
  private readonly clientId: string;

  constructor({ client, clock, prefix, clientId, commandTimeoutMs }: RedisStoreOptions) {
    this.client = client;
    this.clientId = clientId;
    this.rules = { prefix, clientPrefix: client.keyPrefix };
    this.runner = new ScriptRunner(client, clock, commandTimeoutMs);
    this.pair = new PlainPair(client, clock, commandTimeoutMs);
  }

  get drops(): number {
    return this.client.drops;
  }

  keys(name: string): LockKeys {
    return lockKeys(name, this.rules);
  }

  channel(keys: LockKeys): string {
    return grantChannel(this.clientId, keys, this.rules, this.client.cluster);
  }

  async acquire(
    keys: LockKeys,
    request: AcquireRequest,
    limits: CallLimits,
    late: (grant: GrantedReply) => void,
  ): Promise<AcquireReply> {
    if (request.entry === undefined) {
      const reply = await this.pair.acquire(keys, request, limits, late);
      if (reply !== undefined) return reply;
      if (limits.unwanted?.()) throw new ConnectionError('given up', keys.name);
    }
    const member = request.entry === undefined ? '' : entryText(request.entry, this.client.cluster);
    const args = [
      request.holderId,
      String(request.ttlMs),
      member,
      request.ticket ?? '',
      String(QUEUE_TTL_MS),
    ];
    const lateGrant = (raw: unknown) => {
      const reply = acquireReply(raw);
      if (isGrant(reply)) late(reply);
    };
    const call = { ...limits, lockName: keys.name, late: lateGrant };
    const reply = acquireReply(await this.runner.script(scripts.acquire, threeKeys(keys), args, call));
    this.learn(reply);
    return reply;
  }

  async release(
    keys: LockKeys,
    value: string,
    limits: CallLimits,
    entry?: QueueEntry,
  ): Promise<ReleaseReply> {
    const args = entry === undefined ? [value] : [value, entryText(entry, this.client.cluster)];
    const call = { ...limits, lockName: keys.name };
    // Each 'more' has dropped 500 dead waiters, so this ends.
    for (;;) {
      const reply = String(await this.runner.script(scripts.release, threeKeys(keys), args, call));
      if (reply !== 'more') return reply as ReleaseReply;
    }
  }

  async renew(keys: LockKeys, value: string, ttlMs: number, limits: CallLimits): Promise<RenewReply> {
    const call = { ...limits, lockName: keys.name };
    return String(
      await this.runner.script(scripts.renew, [keys.lock], [value, String(ttlMs)], call),
    ) as RenewReply;
  }

  async inspect(keys: LockKeys, limits: CallLimits): Promise<LockState> {
    const call = { ...limits, lockName: keys.name };
    const [state, clientId, remainingMs, token, queueLength, nowUs] = texts(
      await this.runner.script(scripts.inspect, threeKeys(keys), [], call),
    );
    return {
      state: state as LockState['state'],
      clientId: clientId ?? '',
      remainingMs: Number(remainingMs),
      fencingToken: token === '' ? undefined : Number(token),
      queueLength: Number(queueLength),
      serverUs: Number(nowUs),
    };
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

  assertUsable(lockName?: string): void {
    this.runner.assertUsable(lockName);
  }

  async advice(limits: CallLimits): Promise<readonly Advice[]> {
    const info = String(await this.runner.command({ name: 'INFO', head: ['memory'], keys: [] }, limits));
    return [...evictionAdvice(info), ...plainTextAdvice(this.client.endpoint)];
  }

  detach(): void {
    this.client.detach();
  }

  /** A token is never behind the server's clock when it is fresh, nor ahead of it unless that stepped back. */
  private learn(reply: AcquireReply): void {
    if (reply.status === 'granted') this.pair.learn(reply.fencingToken);
    if (reply.status === 'queued') this.pair.learn(reply.serverUs);
  }
}

function threeKeys(keys: LockKeys): readonly string[] {
  return [keys.lock, keys.fence, keys.queue];
}

function texts(reply: unknown): string[] {
  return (reply as unknown[]).map(String);
}

function acquireReply(reply: unknown): AcquireReply {
  const [status, ...rest] = texts(reply);
  if (status === 'granted' || status === 'yours') {
    return { status, fencingToken: Number(rest[0]), leaseMs: Number(rest[1]) };
  }
  const remainingMs = Number(rest[0]);
  const foreign = rest[1] === '1';
  if (status !== 'queued') return { status: 'busy', remainingMs, foreign };
  const [, , ticket = '', rank, isNew, serverUs] = rest;
  return {
    status,
    remainingMs,
    foreign,
    ticket,
    rank: Number(rank),
    isNew: isNew === '1',
    serverUs: Number(serverUs),
  };
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
