/**
 * Thousands of random commands, late ones and doubled ones among them: the scripts, and the store in memory, answer as the model
 * does, and leave what it leaves. At no moment does a writer hold with anybody else, or two that may upgrade.
 */
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RedisProcess, startServer } from '../../../testkit/src/index.ts';
import { fromIoredis, LeaseLostError } from '../../src/index.ts';
import { MemoryServer } from '../../src/memory/memory-server.ts';
import { MemoryStore } from '../../src/memory/memory-store.ts';
import { RedisStore } from '../../src/store/redis-store.ts';
import {
  type Holdable,
  isGrant,
  parseMessage,
  type QueueEntry,
  type ReadWriteMode,
  type Store,
} from '../../src/store/store.ts';
import { ReadWriteModel } from './support/read-write-model.ts';

const EARS = 3;
const TTL_MS = 3_600_000;
const RUNS = 150;
const LENGTH = 60;

/** A store under test, and what the test needs behind its back. */
interface Subject {
  readonly store: Store;
  listen(ear: number, on: boolean): Promise<void>;
  /** Makes the lease end now. */
  end(name: string, holder: string, mode: ReadWriteMode): Promise<void>;
  /** Every message sent so far has arrived afterwards. */
  settled(): Promise<string[]>;
}

const clock = { now: () => performance.now() };
const channel = (ear: number) => `ear:${ear}`;
const limits = () => ({ deadlineAt: clock.now() + 5_000 });

const mode = fc.constantFrom<ReadWriteMode>('read', 'read', 'upgradeable', 'upgradeable', 'write');
const pick = fc.nat({ max: 40 });
const ear = fc.nat({ max: EARS - 1 });
const waits = fc.option(ear, { nil: undefined });
/** Which attempt of a lease: the last one, or one before it. */
const back = fc.nat({ max: 2 });
const command = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('acquire' as const), mode, waits }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('ask again' as const), pick }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('release' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('renew' as const), pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('give up' as const), pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('end' as const), pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('downgrade' as const), pick }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('upgrade' as const), pick, waits }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('upgrade again' as const), pick, back }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('take back' as const), pick, back, heard: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('deafen' as const), ear }) },
);
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

interface Attempt {
  readonly id: string;
  readonly number: number;
  readonly ear: number | undefined;
  /** Of its last grant, and which of the lease's upgrades that was. */
  token: number;
  upgrades: number;
}

/** Somebody who acquired or tried to. */
interface Actor {
  readonly holder: string;
  readonly mode: ReadWriteMode;
  readonly ear: number | undefined;
  readonly attempts: Attempt[];
  ticket: string | undefined;
  token: number;
}

let runs = 0;

class Run {
  private readonly model = new ReadWriteModel();
  private readonly actors: Actor[] = [];
  private readonly name = `model:${runs++}`;
  private lastToken = 0;
  /** The token of a reply; those that its script gave to others came before. */
  private replied = 0;

  constructor(private readonly subject: Subject) {}

  async step(command: Command): Promise<void> {
    await this.act(command);
    const told = (await this.subject.settled()).map((text) => this.heard(text));
    if (this.replied > 0) this.grew(this.replied);
    this.replied = 0;
    expect(told, JSON.stringify(command)).toEqual(this.model.told.splice(0));
    const { leases, queue } = this.model;
    const seen = await this.lock.inspect(limits());
    const modes = seen.leases.map(({ mode }) => mode);
    expect(modes.toSorted()).toEqual(leases.map(({ mode }) => mode).toSorted());
    expect(seen.waiters.map(({ wants }) => wants)).toEqual(
      queue.map(({ wants }) => (typeof wants === 'string' ? wants : 'upgrade')),
    );
    expect(modes.includes('write') ? modes.length : 1).toBe(1);
    expect(modes.filter((one) => one === 'upgradeable').length).toBeLessThanOrEqual(1);
  }

  /** Whatever happened: when all have gone, it can be written. */
  async finish(): Promise<void> {
    for (const actor of this.actors)
      for (const attempt of actor.attempts) await this.takeBack(actor, attempt, false);
    for (const { holder, mode, ear } of this.actors)
      await this.lock.side(mode).release(holder, limits(), this.entry(holder, ear));
    await this.subject.settled();
    const last = { holderId: 'hf1-last.c', ttlMs: 1 };
    expect(await this.lock.side('write').acquire(last, limits(), () => {})).toMatchObject({
      status: 'granted',
    });
  }

  private get lock() {
    return this.subject.store.readWrite(this.name);
  }

  private async act(command: Command): Promise<void> {
    const { model, subject } = this;
    if (command.do === 'acquire') return this.acquire(this.newActor(command.mode, command.waits));
    if (command.do === 'deafen') {
      const on = model.deaf.delete(command.ear);
      if (!on) model.deaf.add(command.ear);
      return subject.listen(command.ear, on);
    }
    const actor = this.actors[command.pick % Math.max(1, this.actors.length)];
    if (actor === undefined) return;
    const { holder } = actor;
    const value = `${holder}:${actor.token}`;
    const side = this.lock.side(actor.mode);
    if (command.do === 'ask again') return actor.ear === undefined ? undefined : this.acquire(actor);
    if (command.do === 'end') {
      const lease = model.lease(holder);
      model.end(holder);
      return lease && subject.end(this.name, holder, lease.mode);
    }
    if (command.do === 'give up') {
      model.release(holder);
      return void (await side.release(holder, limits(), this.entry(holder, actor.ear)));
    }
    if (command.do === 'renew')
      return expect(await this.lock.side('read').renew(value, TTL_MS, limits())).toBe(model.renew(holder));
    // A waiter that has not heard of its lease does none of these.
    if (actor.token === 0 || model.queue.some(({ id }) => id === holder)) return;
    if (command.do === 'release')
      return expect(plain(await side.release(value, limits()))).toBe(model.release(holder));
    if (command.do === 'downgrade')
      return expect(await this.lock.downgrade(value, limits())).toBe(model.downgrade(holder));
    if (actor.mode !== 'upgradeable') return;
    if (command.do === 'upgrade') return this.upgrade(actor, this.attempt(actor, command.waits));
    const attempt = actor.attempts.at(-1 - command.back);
    if (attempt === undefined) return;
    if (command.do === 'upgrade again') return this.upgrade(actor, attempt);
    return this.takeBack(actor, attempt, command.heard && attempt.token > 0);
  }

  private async acquire(actor: Actor): Promise<void> {
    const { holder, mode, ear, ticket } = actor;
    const expected = this.model.acquire(holder, mode, ear);
    const request = { holderId: holder, ttlMs: TTL_MS, entry: this.entry(holder, ear), ticket };
    const reply = await this.lock.side(mode).acquire(request, limits(), () => {});
    if (reply.status === 'queued') actor.ticket = reply.ticket;
    if (isGrant(reply)) actor.token = reply.fencingToken;
    if (reply.status === 'granted') this.replied = reply.fencingToken;
    expect(reply.status === 'queued' ? `queued ${reply.rank}` : reply.status).toBe(expected);
  }

  private async upgrade(actor: Actor, attempt: Attempt): Promise<void> {
    const { id, number, ear } = attempt;
    const expected = this.model.upgrade(id, actor.holder, number, ear);
    const request = { holderId: id, ttlMs: TTL_MS, entry: this.entry(id, ear) };
    const asked = this.upgradeOf(actor, attempt).acquire(request, limits(), () => {});
    const reply = await asked.catch((error: unknown) => {
      expect(error).toBeInstanceOf(LeaseLostError);
      return undefined;
    });
    if (reply === undefined) return expect('gone').toBe(expected);
    if (reply.status === 'granted') this.replied = reply.fencingToken;
    if (isGrant(reply)) this.upgraded(attempt, actor.holder, reply.fencingToken);
    expect(reply.status === 'queued' ? `queued ${reply.rank}` : reply.status).toBe(expected);
  }

  private async takeBack(actor: Actor, attempt: Attempt, heard: boolean): Promise<void> {
    const { id, number, ear, token, upgrades } = attempt;
    const expected = this.model.takeBack(id, actor.holder, number, heard ? upgrades : undefined);
    const given = heard ? `${id}:${token}` : id;
    const reply = await this.upgradeOf(actor, attempt).release(given, limits(), this.entry(id, ear));
    expect(plain(reply)).toBe(expected);
  }

  /** A waiter of this lease asks again, or a new one comes. */
  private attempt(actor: Actor, ear: number | undefined): Attempt {
    const { attempts, holder } = actor;
    const waiting = attempts.find(({ id }) => this.model.queue.some((one) => one.id === id));
    if (waiting !== undefined) return waiting;
    const number = attempts.length + 1;
    const [mark, client] = holder.split('.');
    const attempt = { id: `${mark}-${number}.${client}`, number, ear, token: 0, upgrades: 0 };
    attempts.push(attempt);
    return attempt;
  }

  private upgradeOf({ holder, token }: Actor, { number }: Attempt): Holdable {
    return this.lock.upgrade(`${holder}:${token}`, () => number);
  }

  private heard(text: string): string {
    const message = parseMessage(text);
    if (message?.kind !== 'grant') return text;
    const { holderId, fencingToken } = message.grant;
    this.grew(fencingToken);
    for (const actor of this.actors) {
      if (actor.holder === holderId) actor.token = fencingToken;
      const attempt = actor.attempts.find(({ id }) => id === holderId);
      if (attempt !== undefined) this.upgraded(attempt, actor.holder, fencingToken);
    }
    return holderId;
  }

  private upgraded(attempt: Attempt, holder: string, token: number): void {
    attempt.token = token;
    attempt.upgrades = this.model.lease(holder)?.upgrades ?? 0;
  }

  private grew(token: number): void {
    expect(token).toBeGreaterThan(this.lastToken);
    this.lastToken = token;
  }

  private newActor(mode: ReadWriteMode, ear: number | undefined): Actor {
    const holder = `hf1-${this.actors.length}.c${runs}`;
    const actor = { holder, mode, ear, attempts: [], ticket: undefined, token: 0 };
    this.actors.push(actor);
    return actor;
  }

  private entry(holderId: string, ear: number | undefined): QueueEntry | undefined {
    return ear === undefined ? undefined : { holderId, leaseMs: TTL_MS, channel: channel(ear) };
  }
}

/** That somebody else got it is told by the message. */
function plain(reply: string): string {
  return reply.replace('given', 'released');
}

async function obeysTheModel(subject: Subject): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      fc.array(command, { minLength: LENGTH / 2, maxLength: LENGTH, size: 'max' }),
      async (commands) => {
        for (let ear = 0; ear < EARS; ear++) await subject.listen(ear, true);
        await subject.settled();
        const run = new Run(subject);
        for (const command of commands) await run.step(command);
        await run.finish();
      },
    ),
    { numRuns: RUNS },
  );
}

describe('a read-write lock', { timeout: 120_000 }, () => {
  let server: RedisProcess;
  let redis: Redis;
  let ears: Redis;
  const messages: string[] = [];

  beforeAll(async () => {
    server = await startServer();
    redis = new Redis(server.port);
    ears = new Redis(server.port);
    ears.on('message', (_channel, text) => messages.push(text));
  });
  afterAll(async () => {
    redis.disconnect();
    ears.disconnect();
    await server.shutdown();
  });

  test('on a server obeys the model', async () => {
    const options = { prefix: '', clientId: 'test', minReplicas: 0, commandTimeoutMs: 3_000 };
    await obeysTheModel({
      store: new RedisStore({ client: fromIoredis(redis), clock, ...options }),
      listen: async (ear, on) =>
        void (await (on ? ears.subscribe(channel(ear)) : ears.unsubscribe(channel(ear)))),
      end: async (name, holder, mode) =>
        void (await redis.zadd(name, 'XX', 1_000_000_000_001, `${holder} ${mode[0]}`)),
      settled: async () => {
        await ears.ping();
        return messages.splice(0);
      },
    });
  });

  test('in memory obeys the model', async () => {
    const memory = new MemoryServer();
    const heard: string[] = [];
    await obeysTheModel({
      store: new MemoryStore(memory, clock, '', 'test'),
      listen: async (ear, on) => {
        if (on) memory.listeners.set(channel(ear), (text) => heard.push(text));
        else memory.listeners.delete(channel(ear));
      },
      end: async (name, holder) => {
        const { leases } = memory.names.get(name) as unknown as {
          leases: Map<string, { expiresAt: number }>;
        };
        const lease = leases.get(holder);
        if (lease !== undefined) lease.expiresAt = 0;
      },
      settled: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        return heard.splice(0);
      },
    });
  });
});
