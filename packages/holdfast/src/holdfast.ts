/** The entry: one instance per Redis (or Valkey) and process. */
import { recogniseClients } from './adapters/recognise.ts';
import type { Client } from './client.ts';
import { type Clock, monotonicClock } from './clock.ts';
import { Engine } from './engine.ts';
import { argumentError } from './errors.ts';
import { Events, type HoldfastEventName, type HoldfastEvents } from './events.ts';
import { newClientId } from './holder-id.ts';
import { type Inspection, inspect } from './inspect/inspect.ts';
import type { Instance } from './instance.ts';
import { Introduction } from './introduction.ts';
import { Lock } from './lock.ts';
import { type AllPart, LockSet } from './lock-set.ts';
import { MemoryServer } from './memory/memory-server.ts';
import { MemoryStore } from './memory/memory-store.ts';
import {
  checkHoldfastOptions,
  checkLeaseOptions,
  checkLockOptions,
  checkName,
  checkPrefix,
  DEFAULT_COMMAND_TIMEOUT_MS,
  DEFAULT_SETTINGS,
  type HoldfastOptions,
  type LeaseOptions,
  type LeaseSettings,
  type LockOptions,
  type SemaphoreOptions,
  withLeaseOptions,
} from './options.ts';
import { QuorumStore } from './quorum/quorum-store.ts';
import { ReadWrite } from './read-write.ts';
import { Semaphore } from './semaphore.ts';
import { notWithReplicas, RedisStore } from './store/redis-store.ts';
import type { Store } from './store/store.ts';
import { WaitingRoom } from './waiting/waiting-room.ts';

export interface InMemoryOptions extends HoldfastOptions {
  /** Instances that share one exclude each other, like clients of one server. Default: a new one. */
  readonly server?: MemoryServer;
}

export class Holdfast implements AsyncDisposable {
  readonly #instance: Instance;
  readonly #settings: LeaseSettings;

  /**
   * @param client your own ioredis, node-redis or iovalkey client (a cluster or Sentinel one too), or an adapter for another; or
   *   a list of them, of independent servers: then a lease needs a majority (Redlock; 3 or 5 are sensible).
   *   They stay yours: Holdfast opens one more connection like each while it waits, and never closes the ones you passed.
   * @throws TypeError or RangeError that names the argument
   */
  constructor(client: unknown, options?: HoldfastOptions) {
    checkHoldfastOptions(options);
    const settings = withLeaseOptions(DEFAULT_SETTINGS, options);
    const prefix = checkPrefix(options?.prefix);
    const clientId = newClientId();
    const commandTimeoutMs = options?.commandTimeoutMs ?? DEFAULT_COMMAND_TIMEOUT_MS;
    const minReplicas = options?.minReplicas ?? 0;
    const clock = monotonicClock;
    const several = client instanceof MemoryServer || (Array.isArray(client) && client.length > 1);
    if (minReplicas > 0 && several) throw notWithReplicas();
    const onRedis = (one: Client) =>
      new RedisStore({ client: one, clock, prefix, clientId, commandTimeoutMs, minReplicas });
    const store: Store =
      client instanceof MemoryServer
        ? new MemoryStore(client, clock, prefix, clientId)
        : storeOf(recogniseClients(client).map(onRedis), clock, commandTimeoutMs);
    this.#settings = settings;
    const engine = new Engine(store, clock, clientId, new Events(), commandTimeoutMs);
    const introduction = new Introduction(engine, options?.label);
    this.#instance = { engine, room: new WaitingRoom(engine), introduction };
  }

  /** The same contract within this process, without a server: for your unit tests. Nothing is shared unless `server` is. */
  static inMemory(options: InMemoryOptions = {}): Holdfast {
    const { server = new MemoryServer(), ...rest } = options;
    return new Holdfast(server, rest);
  }

  /**
   * A lock of this name (1 to 512 bytes of UTF-8). Costs nothing: no command is sent.
   * @throws TypeError or RangeError for a bad name or option
   */
  lock(name: string, options?: LockOptions): Lock {
    checkName(name);
    const rules = checkLockOptions(options);
    const stored = this.#instance.engine.store.lock(name);
    return new Lock(this.#instance, stored, withLeaseOptions(this.#settings, options), rules);
  }

  /**
   * A counting semaphore of this name, with up to `limit` permits held at a time. Costs nothing: no command is sent. A name is
   * either a lock's or a semaphore's; the other use rejects with `WrongTypeError`.
   * @throws TypeError or RangeError for a bad name or option
   */
  semaphore(name: string, options?: SemaphoreOptions): Semaphore {
    return new Semaphore(this.#instance, checkName(name), options, this.#settings);
  }

  /**
   * Several locks and semaphores (of this instance) as one: all or nothing, taken in the same order everywhere. Duplicates count once. Costs nothing: no command is sent.
   * @param options for all of them; a `Lock` or `Semaphore` keeps its own where they say nothing
   * @throws TypeError or RangeError for an empty list, or a bad part or option
   */
  all(parts: readonly AllPart[], options?: LeaseOptions): LockSet {
    if (!Array.isArray(parts)) throw argumentError('all(): expected a list of names, locks or semaphores');
    checkLeaseOptions(options);
    const lockOf = (name: string) => this.lock(name);
    return new LockSet(this.#instance, parts, lockOf, options, this.#settings);
  }

  /**
   * A read-write lock of this name: many readers, or one writer, in the order in which they came. Costs nothing: no command is sent. A
   * name is a lock's, a semaphore's or a read-write lock's; another use rejects with `WrongTypeError`.
   * @throws TypeError or RangeError for a bad name or option; TypeError where this instance is a quorum of several servers
   */
  readWrite(name: string, options?: LeaseOptions): ReadWrite {
    checkName(name);
    checkLeaseOptions(options);
    const stored = this.#instance.engine.store.readWrite(name);
    return new ReadWrite(this.#instance, stored, withLeaseOptions(this.#settings, options));
  }

  /**
   * Who holds the lock `name`, since when, and how many wait. Two round trips, reads only. Rejects as `acquire` does. For a
   * semaphore: `holdfast.semaphore(name).inspect()`; for a read-write lock: `holdfast.readWrite(name).inspect()`.
   */
  async inspect(name: string): Promise<Inspection> {
    const { engine } = this.#instance;
    const stored = engine.store.lock(checkName(name));
    engine.assertOpen(stored);
    return inspect(engine, stored);
  }

  /** Calls `listener` for every event of that name; the same events are on the `diagnostics_channel` `holdfast:<name>`. */
  on<K extends HoldfastEventName>(name: K, listener: (event: HoldfastEvents[K]) => void): this {
    this.#instance.engine.events.on(name, listener);
    return this;
  }

  off<K extends HoldfastEventName>(name: K, listener: (event: HoldfastEvents[K]) => void): this {
    this.#instance.engine.events.off(name, listener);
    return this;
  }

  /**
   * Ends all that this instance does: waits reject with `ClosedError`, the signals of leases still held abort (reason
   * `closed`), then those are released. Your client stays open. Never rejects; settles within `commandTimeoutMs`.
   */
  async close(): Promise<void> {
    const { engine, room } = this.#instance;
    engine.closed = true;
    room.evacuate();
    await Promise.all([...engine.leases].map((lease) => lease.end('closed')));
    await engine.idle();
    await room.close();
    engine.store.detach();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** One server, or a quorum of several. */
function storeOf(stores: readonly RedisStore[], clock: Clock, commandTimeoutMs: number): Store {
  const [only, ...others] = stores;
  return only !== undefined && others.length === 0 ? only : new QuorumStore(stores, clock, commandTimeoutMs);
}
