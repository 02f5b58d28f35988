/** Thousands of random commands: the scripts, and the store in memory, answer as the model does, and leave what it leaves. */
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RedisProcess, startServer } from '../../../testkit/src/index.ts';
import { fromIoredis } from '../../src/index.ts';
import { MemoryServer } from '../../src/memory/memory-server.ts';
import { MemoryStore } from '../../src/memory/memory-store.ts';
import { RedisStore } from '../../src/store/redis-store.ts';
import { isGrant, parseMessage, type QueueEntry, type Store } from '../../src/store/store.ts';
import { SemaphoreModel } from './support/semaphore-model.ts';

const EARS = 3;
const ASKED = 6;
const TTL_MS = 3_600_000;
const RUNS = 150;
const LENGTH = 60;

/** A store under test, and what the test needs behind its back. */
interface Subject {
  readonly store: Store;
  listen(ear: number, on: boolean): Promise<void>;
  /** Makes the lease end now. */
  end(name: string, holder: string, permits: number): Promise<void>;
  /** Every message sent so far has arrived afterwards. */
  settled(): Promise<string[]>;
}

const clock = { now: () => performance.now() };
const channel = (ear: number) => `ear:${ear}`;
const limits = () => ({ deadlineAt: clock.now() + 5_000 });

const weight = fc.integer({ min: 1, max: 7 });
const pick = fc.nat({ max: 40 });
const command = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('try' as const), permits: weight, slotted: fc.boolean() }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('join' as const),
      permits: weight,
      slotted: fc.boolean(),
      ear: fc.nat({ max: EARS - 1 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('ask again' as const), pick }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('release' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('renew' as const), pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('give up' as const), pick }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('end' as const), pick }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('limit' as const), limit: fc.integer({ min: 1, max: 9 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('deafen' as const), ear: fc.nat({ max: EARS - 1 }) }) },
);
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

/** Somebody who acquired or tried to. */
interface Actor {
  readonly holder: string;
  readonly permits: number;
  readonly slotted: boolean;
  readonly ear: number | undefined;
  ticket: string | undefined;
  token: number;
}

let runs = 0;

class Run {
  private readonly model = new SemaphoreModel();
  private readonly actors: Actor[] = [];
  private readonly name = `model:${runs++}`;

  constructor(private readonly subject: Subject) {}

  async step(command: Command): Promise<void> {
    await this.act(command);
    const told = (await this.subject.settled()).map((text) => this.heard(text));
    expect(told, JSON.stringify(command)).toEqual(this.model.told.splice(0));
    const { limit, held, queue, leases } = this.model;
    const seen = await this.semaphore(false).inspect(limits());
    expect({ limit: seen.limit, held: seen.held, queueLength: seen.queueLength }).toEqual({
      limit,
      held,
      queueLength: queue.length,
    });
    expect(seen.leases.map(({ permits, slots }) => `${permits} ${slots}`).sort()).toEqual(
      leases.map(({ permits, slots }) => `${permits} ${slots}`).sort(),
    );
  }

  /** Whatever happened: when all have gone, everything can be acquired. */
  async finish(): Promise<void> {
    for (const { holder } of this.actors) {
      await this.holdable(holder).release(holder, limits(), this.entryOf(holder));
      this.model.giveUp(holder);
    }
    await this.subject.settled();
    const limit = this.model.limit ?? ASKED;
    const all = await this.semaphore(true)
      .permits(limit)
      .acquire({ holderId: 'hf1-all.c', ttlMs: 1 }, limits(), () => {});
    expect(all).toMatchObject({ status: 'granted', slots: [...Array(limit).keys()] });
  }

  private async act(command: Command): Promise<void> {
    const { model, subject } = this;
    if (command.do === 'try' || command.do === 'join') return this.acquire(this.newActor(command));
    if (command.do === 'limit') {
      model.setLimit(command.limit);
      return this.semaphore(false).setLimit(command.limit, limits());
    }
    if (command.do === 'deafen') {
      const on = model.deaf.delete(command.ear);
      if (!on) model.deaf.add(command.ear);
      return subject.listen(command.ear, on);
    }
    const actor = this.actors[command.pick % Math.max(1, this.actors.length)];
    if (actor === undefined) return;
    const { holder, permits } = actor;
    const holdable = this.holdable(holder);
    if (command.do === 'ask again') return actor.ear === undefined ? undefined : this.acquire(actor);
    if (command.do === 'end') {
      model.end(holder);
      return subject.end(this.name, holder, permits);
    }
    if (command.do === 'give up') {
      model.giveUp(holder);
      return void (await holdable.release(holder, limits(), this.entryOf(holder)));
    }
    const value = `${holder}:${actor.token}`;
    if (command.do === 'renew')
      expect(await holdable.renew(value, TTL_MS, limits())).toBe(model.renew(holder));
    else
      expect((await holdable.release(value, limits())).replace('given', 'released')).toBe(
        model.release(holder),
      );
  }

  private async acquire(actor: Actor): Promise<void> {
    const { holder, permits, slotted, ear, ticket } = actor;
    const waits = ear === undefined ? undefined : { holder, permits, slotted, ear };
    const expected = this.model.acquire(holder, permits, slotted, ASKED, waits);
    const entry = this.entryOf(holder);
    const asked = this.holdable(holder).acquire(
      { holderId: holder, ttlMs: TTL_MS, entry, ticket },
      limits(),
      () => {},
    );
    const reply = await asked.catch((error: unknown) => {
      expect(error).toBeInstanceOf(RangeError);
      return undefined;
    });
    if (reply === undefined) return expect('too many').toBe(expected);
    if (reply.status === 'queued') actor.ticket = reply.ticket;
    if (isGrant(reply)) actor.token = reply.fencingToken;
    const details = isGrant(reply)
      ? ` ${reply.slots ?? []}`
      : reply.status === 'queued'
        ? ` ${reply.rank}`
        : '';
    expect(`${reply.status}${details}`).toBe(expected);
  }

  private heard(text: string): string {
    const message = parseMessage(text);
    if (message?.kind !== 'grant') return text;
    const { holderId, fencingToken, slots } = message.grant;
    const actor = this.actors.find(({ holder }) => holder === holderId);
    if (actor !== undefined) actor.token = fencingToken;
    return `${holderId} ${slots ?? ''}`.trimEnd();
  }

  private newActor({ permits, slotted, ...command }: Command & { permits: number; slotted: boolean }): Actor {
    const ear = 'ear' in command ? command.ear : undefined;
    const holder = `hf1-${this.actors.length}.c${runs}`;
    const actor = { holder, permits, slotted, ear, ticket: undefined, token: 0 };
    this.actors.push(actor);
    return actor;
  }

  private actor(holder: string): Actor {
    return this.actors.find((one) => one.holder === holder) as Actor;
  }

  private entryOf(holder: string): QueueEntry | undefined {
    const { ear } = this.actor(holder);
    return ear === undefined ? undefined : { holderId: holder, leaseMs: TTL_MS, channel: channel(ear) };
  }

  private semaphore(slots: boolean) {
    return this.subject.store.semaphore(this.name, { limit: ASKED, slots, limitDiffers: () => {} });
  }

  private holdable(holder: string) {
    const { permits, slotted } = this.actor(holder);
    return this.semaphore(slotted).permits(permits);
  }
}

async function obeysTheModel(subject: Subject): Promise<void> {
  for (let ear = 0; ear < EARS; ear++) await subject.listen(ear, true);
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

describe('a semaphore', { timeout: 120_000 }, () => {
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
    const client = fromIoredis(redis);
    const store = new RedisStore({
      client,
      clock,
      prefix: '',
      clientId: 'test',
      minReplicas: 0,
      commandTimeoutMs: 3_000,
    });
    await obeysTheModel({
      store,
      listen: async (ear, on) =>
        void (await (on ? ears.subscribe(channel(ear)) : ears.unsubscribe(channel(ear)))),
      end: async (name, holder, permits) =>
        void (await redis.zadd(name, 'XX', 1_000_000_000_001, `${holder} ${permits}`)),
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
        const lease = leases?.get(holder);
        if (lease !== undefined) lease.expiresAt = 0;
      },
      settled: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        return heard.splice(0);
      },
    });
  });
});
