/** What a read-write lock has to do on every backend and with every client. */
import { describe, expect, it } from 'vitest';
import { aborted, eventually } from '../../../testkit/src/index.ts';
import {
  AcquireTimeoutError,
  ClosedError,
  DeadlockError,
  type Holdfast,
  type Lease,
  LeaseLostError,
  type ReadWrite,
  type ReadWriteLease,
  WrongTypeError,
} from '../../src/index.ts';
import { type Backend, fresh, NAMES, withInstances } from './backend.ts';

const lostOf = ({ signal }: ReadWriteLease) => aborted(signal);
const caught = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );
/** Of the search for circles. */
const LOOK_MS = 150;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A promise that tells whether it has settled. */
function watched<T>(promise: Promise<T>) {
  const state = { settled: false, promise };
  const settle = () => {
    state.settled = true;
  };
  promise.then(settle, settle);
  return state;
}

/** Who holds at the moment, as the holders themselves know it. */
class Book {
  private readonly held = { read: 0, upgradeable: 0, write: 0 };
  readonly faults: string[] = [];
  served = 0;

  enter(mode: keyof Book['held']): void {
    this.held[mode]++;
    this.served++;
    this.check();
  }

  leave(mode: keyof Book['held']): void {
    this.held[mode]--;
  }

  become(from: keyof Book['held'], to: keyof Book['held']): void {
    this.held[from]--;
    this.held[to]++;
    this.check();
  }

  private check(): void {
    const { read, upgradeable, write } = this.held;
    const wrong = write > 1 || upgradeable > 1 || (write === 1 && read + upgradeable > 0);
    if (wrong) this.faults.push(JSON.stringify(this.held));
  }
}

export function readWriteContract(title: string, start: () => Promise<Backend>): void {
  describe(`read-write contract: ${title}`, () => {
    let here: Holdfast;
    let there: Holdfast;
    const another = withInstances(start, (opened) => {
      ({ here, there } = opened);
    });
    const both = (what: string, options = {}) => {
      const name = fresh(what);
      return [here.readWrite(name, options), there.readWrite(name, options)] as const;
    };
    const queueOf = (one: ReadWrite, length: number) =>
      eventually(async () => (await one.inspect()).queueLength === length, { what: `${length} waiters` });
    const nothingLeft = async (one: ReadWrite) => {
      const state = () => one.inspect();
      await eventually(async () => (await state()).queueLength === 0 && (await state()).leases.length === 0);
      const last = await one.write.tryAcquire();
      expect(last?.mode).toBe('write');
      await last?.release();
    };

    it('readers hold together, a writer alone', async () => {
      const [one, two] = both('together');
      const readers = [await one.read.acquire(), await two.read.acquire(), await one.read.tryAcquire()];
      expect(readers.map((lease) => lease?.mode)).toEqual(['read', 'read', 'read']);
      expect(await two.write.tryAcquire()).toBeUndefined();
      for (const lease of readers) expect(await lease?.release()).toBe('released');
      const writer = await two.write.acquire();
      expect(writer.mode).toBe('write');
      expect(await one.read.tryAcquire()).toBeUndefined();
      expect(await one.upgradeable.tryAcquire()).toBeUndefined();
      expect(await one.write.tryAcquire()).toBeUndefined();
      expect(await writer.release()).toBe('released');
      expect(await writer.release()).toBe('released');
      await nothingLeft(one);
    });

    it('waiters are served in strict order, readers that stand together in one batch', async () => {
      const [one, two] = both('batches');
      const held = await one.write.acquire();
      const wanted = ['read', 'read', 'write', 'read', 'upgradeable', 'read', 'write', 'read'] as const;
      const waits: ReturnType<typeof watched<ReadWriteLease>>[] = [];
      for (const [i, mode] of wanted.entries()) {
        waits.push(watched<ReadWriteLease>((i % 2 ? one : two)[mode].acquire()));
        await queueOf(one, i + 1);
      }
      let release: readonly ReadWriteLease[] = [held];
      for (const batch of [[0, 1], [2], [3, 4, 5], [6], [7]]) {
        await Promise.all(release.map((lease) => lease.release()));
        release = await Promise.all(batch.map((i) => waits[i]?.promise as Promise<ReadWriteLease>));
        const { leases, queueLength } = await two.inspect();
        expect(leases.map(({ mode }) => mode).sort()).toEqual(batch.map((i) => wanted[i]).sort());
        expect(queueLength).toBe(wanted.length - 1 - (batch.at(-1) ?? 0));
        const last = batch.at(-1) ?? 0;
        expect(waits.map(({ settled }) => settled)).toEqual(wanted.map((_, i) => i <= last));
      }
      await Promise.all(release.map((lease) => lease.release()));
      await nothingLeft(one);
    });

    it('newcomers overtake nobody: a reader does not pass a writer that waits', async () => {
      const [one, two] = both('newcomers');
      const reader = await one.read.acquire();
      const writing = watched(two.write.acquire());
      await queueOf(one, 1);
      expect(await two.read.tryAcquire()).toBeUndefined();
      expect(await one.upgradeable.tryAcquire()).toBeUndefined();
      const behind = watched(one.read.acquire());
      await queueOf(one, 2);
      await reader.release();
      const writer = await writing.promise;
      expect(behind.settled).toBe(false);
      await writer.release();
      await (await behind.promise).release();
      await nothingLeft(one);
    });

    it('a stream of readers does not starve a writer, a stream of writers does not starve a reader', async () => {
      for (const [crowd, single] of [
        ['read', 'write'],
        ['write', 'read'],
      ] as const) {
        const [one, two] = both('stream');
        let over = false;
        let served = 0;
        const stream = async (i: number) => {
          while (!over) {
            await (i % 2 ? one : two)[crowd].use(() => pause(i + 1));
            served++;
          }
        };
        const streams = Promise.all([0, 1, 2, 3].map(stream));
        await eventually(() => served > 20);
        const before = served;
        const lease = await two[single].acquire({ waitMs: 5_000 });
        // Those who held or waited before it, and those who came while it was on its way into the queue, and its grant back.
        expect(served - before).toBeLessThan(100);
        over = true;
        await lease.release();
        await streams;
        await nothingLeft(one);
      }
    });

    it('whoever gives up at the head lets those behind it through', async () => {
      const [one, two] = both('head');
      const reader = await one.read.acquire();
      const abort = new AbortController();
      const head = caught(two.write.acquire({ signal: abort.signal }));
      await queueOf(one, 1);
      const behind = two.read.acquire();
      await queueOf(one, 2);
      const reason = { my: 'reason' };
      abort.abort(reason);
      expect(await head).toBe(reason);
      await (await behind).release();
      expect(await caught(two.write.acquire({ waitMs: 60 }))).toBeInstanceOf(AcquireTimeoutError);
      expect(await caught(two.write.acquire({ waitMs: 0 }))).toBeInstanceOf(AcquireTimeoutError);
      await reader.release();
      await nothingLeft(one);
    });

    it('tokens grow with every grant, readers and upgrades too', async () => {
      const [one, two] = both('tokens');
      const a = await one.upgradeable.acquire();
      const b = await two.read.acquire();
      const c = await one.read.acquire();
      expect(b.fencingToken).toBeGreaterThan(a.fencingToken);
      expect(c.fencingToken).toBeGreaterThan(b.fencingToken);
      const upgraded = a.upgrade();
      await queueOf(one, 1);
      await Promise.all([b.release(), c.release()]);
      await upgraded;
      expect(a.fencingToken).toBeGreaterThan(c.fencingToken);
      const waiting = two.write.acquire();
      await queueOf(one, 1);
      const last = a.fencingToken;
      await a.release();
      const writer = await waiting;
      expect(writer.fencingToken).toBeGreaterThan(last);
      await writer.release();
      await nothingLeft(one);
    });

    it('downgrade lets the readers at the head in at once, and keeps writers out, with the same token', async () => {
      const [one, two] = both('downgrade');
      const writer = await one.write.acquire();
      const { fencingToken } = writer;
      const reading = [two.read.acquire(), one.read.acquire()];
      await queueOf(one, 2);
      const writing = watched(two.write.acquire());
      await queueOf(one, 3);
      const late = watched(one.read.acquire());
      await queueOf(one, 4);
      await writer.downgrade();
      expect(writer).toMatchObject({ mode: 'read', fencingToken });
      const readers = await Promise.all(reading);
      expect(await one.inspect()).toMatchObject({ state: 'reading', readers: 3, queueLength: 2 });
      await writer.downgrade();
      for (const lease of readers) await lease.release();
      expect([writing.settled, late.settled]).toEqual([false, false]);
      expect(await writer.release()).toBe('released');
      const next = await writing.promise;
      expect(late.settled).toBe(false);
      await next.downgrade();
      await (await late.promise).release();
      await next.release();
      await nothingLeft(one);
    });

    it('forceRelease ends the lease with that token, or with that of its upgrade, and serves who waits', async () => {
      const [one, two] = both('force', { ttlMs: 60_000 });
      const held = await one.upgradeable.acquire({ renew: false });
      await held.upgrade();
      const waiting = [two.read.acquire(), two.read.acquire()];
      await queueOf(one, 2);
      expect(await two.forceRelease(held.fencingToken + 1_000_000)).toBe('expired');
      expect(await two.forceRelease(held.fencingToken)).toBe('handedOff');
      const readers = await Promise.all(waiting);
      expect(await held.renew()).toBe('lost');
      for (const { fencingToken } of readers) expect(await one.forceRelease(fencingToken)).toBe('released');
      await nothingLeft(one);
    });

    it('a downgraded lease is still renewed, and lost like any other', async () => {
      const one = await another();
      const name = fresh('renewed');
      let renewals = 0;
      one.on('renewed', () => renewals++);
      const lease = await one.readWrite(name, { ttlMs: 400 }).write.acquire();
      await lease.downgrade();
      const before = renewals;
      await eventually(() => renewals > before + 4);
      expect(lease.signal.aborted).toBe(false);
      expect(await there.readWrite(name).write.tryAcquire()).toBeUndefined();
      await (await there.readWrite(name).read.tryAcquire())?.release();
      expect(await lease.renew(5_000)).toBe('renewed');
      expect(await lease.release()).toBe('released');
      expect(await lease.renew()).toBe('lost');
      const short = await here.readWrite(name).write.acquire({ ttlMs: 60, renew: false });
      await lostOf(short);
      expect(await caught(short.downgrade())).toBeInstanceOf(LeaseLostError);
      expect(short.mode).toBe('write');
      await short.release();
      await nothingLeft(here.readWrite(name));
    });

    it('of those that may upgrade there is one at a time, together with readers', async () => {
      const [one, two] = both('one-at-a-time');
      const reader = await one.read.acquire();
      const first = await two.upgradeable.acquire();
      expect(first.mode).toBe('upgradeable');
      const second = await one.read.tryAcquire();
      expect(second?.mode).toBe('read');
      expect(await one.upgradeable.tryAcquire()).toBeUndefined();
      const next = watched(one.upgradeable.acquire());
      await queueOf(one, 1);
      await reader.release();
      await second?.release();
      expect(next.settled).toBe(false);
      await first.downgrade();
      const lease = await next.promise;
      expect(first.mode).toBe('read');
      await Promise.all([first.release(), lease.release()]);
      await nothingLeft(one);
    });

    it('upgrade waits for the readers, keeps new ones out, and goes before all that wait', async () => {
      const [one, two] = both('upgrade');
      const lease = await one.upgradeable.acquire();
      const { fencingToken, holderId, signal } = lease;
      const readers = [await two.read.acquire(), await one.read.acquire()];
      const writing = watched(two.write.acquire());
      await queueOf(one, 1);
      const upgraded = watched(lease.upgrade());
      await queueOf(one, 2);
      const reading = watched(two.read.acquire());
      await queueOf(one, 3);
      expect((await two.inspect()).queue.map(({ wants }) => wants)).toEqual(['upgrade', 'write', 'read']);
      expect(lease.mode).toBe('upgradeable');
      await readers[0]?.release();
      expect(await two.read.tryAcquire()).toBeUndefined();
      expect(upgraded.settled).toBe(false);
      await readers[1]?.release();
      await upgraded.promise;
      expect(lease).toMatchObject({ mode: 'write', holderId });
      expect(lease.fencingToken).toBeGreaterThan(fencingToken);
      expect(lease.signal).toBe(signal);
      const seen = await two.inspect();
      expect(seen).toMatchObject({ state: 'writing', readers: 0, queueLength: 2 });
      expect(seen.leases).toMatchObject([{ mode: 'write', fencingToken: lease.fencingToken }]);
      expect([writing.settled, reading.settled]).toEqual([false, false]);
      await lease.upgrade();
      expect(await lease.release()).toBe('released');
      await (await writing.promise).release();
      await (await reading.promise).release();
      await nothingLeft(one);
    });

    it('upgrade is at once where nobody reads, is renewed, and may be downgraded', async () => {
      const [one, two] = both('at-once', { ttlMs: 400 });
      await one.upgradeable.use(async (lease) => {
        await Promise.all([lease.upgrade(), lease.upgrade({ waitMs: 0 })]);
        expect(await caught(two.read.acquire({ waitMs: 900 }))).toBeInstanceOf(AcquireTimeoutError);
        expect(lease.signal.aborted).toBe(false);
        const reading = two.read.acquire();
        await queueOf(one, 1);
        await lease.downgrade();
        await (await reading).release();
        expect(await caught(lease.upgrade())).toBeInstanceOf(TypeError);
      });
      await nothingLeft(one);
    });

    it('an upgrade that is aborted, or takes too long, leaves the lease what it was', async () => {
      const [one, two] = both('given-up', { ttlMs: 2_000 });
      const lease = await one.upgradeable.acquire();
      const { fencingToken } = lease;
      const reader = await two.read.acquire();
      const abort = new AbortController();
      const reason = { my: 'reason' };
      const attempts = [
        { waitMs: 0 },
        { waitMs: 80 },
        { signal: abort.signal },
        { signal: AbortSignal.abort(reason) },
      ];
      for (const options of attempts) {
        const asked = caught(lease.upgrade(options));
        if (options.signal === abort.signal) {
          await queueOf(one, 1);
          const kept = watched(two.read.acquire());
          await queueOf(one, 2);
          abort.abort(reason);
          await (await kept.promise).release();
        }
        const error = await asked;
        if (options.signal) expect(error).toBe(reason);
        else expect(error).toBeInstanceOf(AcquireTimeoutError);
        expect(lease).toMatchObject({ mode: 'upgradeable', fencingToken, lost: undefined });
        await (await two.read.tryAcquire())?.release();
        expect(await one.upgradeable.tryAcquire()).toBeUndefined();
        expect(await lease.renew()).toBe('renewed');
      }
      await reader.release();
      await lease.upgrade();
      expect(await two.read.tryAcquire()).toBeUndefined();
      expect(await lease.release()).toBe('released');
      await nothingLeft(one);
    });

    it('an abort that crosses the grant of an upgrade ends either way, and the lease is what it says', async () => {
      const [one, two] = both('crossing');
      const modes = new Set<string>();
      for (let i = 0; i < 40; i++) {
        const lease = await one.upgradeable.acquire();
        const reader = await two.read.acquire();
        const abort = new AbortController();
        const asked = caught(lease.upgrade({ signal: abort.signal }));
        await queueOf(one, 1);
        const left = reader.release();
        for (let turn = 0; turn < i % 8; turn++) await new Promise((resolve) => setImmediate(resolve));
        abort.abort('enough');
        const error = await asked;
        await left;
        modes.add(lease.mode);
        expect(lease.mode).toBe(error === undefined ? 'write' : 'upgradeable');
        const other = await two.read
          .acquire({ waitMs: error === undefined ? 0 : 5_000 })
          .catch(() => undefined);
        expect(other?.mode).toBe(error === undefined ? undefined : 'read');
        await other?.release();
        expect(await lease.release()).toBe('released');
      }
      expect(modes).toContain('upgradeable');
      await nothingLeft(one);
    });

    it('a release ends the wait of an upgrade', async () => {
      const [one, two] = both('release');
      const lease = await one.upgradeable.acquire();
      const reader = await two.read.acquire();
      const asked = caught(lease.upgrade());
      await queueOf(one, 1);
      expect(await lease.release()).toBe('released');
      expect(String(await asked)).toMatch(/released meanwhile/);
      expect(await caught(lease.upgrade())).toBeInstanceOf(TypeError);
      expect(await caught(lease.downgrade())).toBeInstanceOf(TypeError);
      await (await two.upgradeable.acquire()).release();
      await reader.release();
      await nothingLeft(one);
    });

    it('an upgrade ends when its lease does', async () => {
      const [one, two] = both('upgrade-lost');
      const lease = await one.upgradeable.acquire({ ttlMs: 150, renew: false });
      const reader = await two.read.acquire();
      const error = await caught(lease.upgrade({ waitMs: 10_000 }));
      expect(error).toBeInstanceOf(LeaseLostError);
      expect(await caught(lease.upgrade())).toBeInstanceOf(LeaseLostError);
      await (await two.read.acquire()).release();
      await reader.release();
      await nothingLeft(one);
    });

    it('a reader that died costs one ttl', async () => {
      const [one, two] = both('dead');
      await one.read.acquire({ ttlMs: 600, renew: false });
      const live = await two.read.acquire();
      const writing = two.write.acquire({ waitMs: 5_000 });
      await queueOf(one, 1);
      await live.release();
      const askedAt = performance.now();
      const writer = await writing;
      expect(performance.now() - askedAt).toBeLessThan(1_200);
      await writer.release();
      const upgradeable = await one.upgradeable.acquire();
      await two.read.acquire({ ttlMs: 300, renew: false });
      await upgradeable.upgrade({ waitMs: 5_000 });
      await upgradeable.release();
      await nothingLeft(one);
    });

    it('inspect tells who holds in which mode, and who waits for what', async () => {
      const labelled = await another({ label: 'the worker' });
      const name = fresh('inspect');
      const lease = await labelled.readWrite(name).read.acquire();
      const waiting = there.readWrite(name).write.acquire();
      await queueOf(here.readWrite(name), 1);
      const seen = await here.readWrite(name).inspect();
      expect(seen).toMatchObject({ name, state: 'reading', readers: 1, queueLength: 1 });
      expect(seen.leases).toHaveLength(1);
      expect(seen.leases[0]).toMatchObject({ mode: 'read', fencingToken: lease.fencingToken });
      expect(seen.leases[0]?.holder).toMatchObject({ pid: process.pid, label: 'the worker' });
      expect(seen.leases[0]?.heldForMs).toBeLessThan(30_000);
      expect(seen.leases[0]?.remainingMs).toBeGreaterThan(1_000);
      expect(seen.queue).toMatchObject([{ wants: 'write', waiter: { pid: process.pid } }]);
      expect(seen.queue[0]?.waitedMs).toBeLessThan(30_000);
      expect(JSON.stringify(seen)).not.toContain(lease.holderId.split('.')[0]);
      await lease.release();
      const writer = await waiting;
      expect(JSON.stringify(writer)).toContain('"mode":"write"');
      expect(await here.readWrite(name).inspect()).toMatchObject({ state: 'writing', readers: 0 });
      await writer.release();
      expect(await here.readWrite(name).inspect()).toMatchObject({ state: 'free', leases: [] });
      const reader = await labelled.readWrite(name).read.acquire();
      const upgradeable = await labelled.readWrite(name).upgradeable.acquire();
      const upgraded = upgradeable.upgrade();
      await queueOf(here.readWrite(name), 1);
      const { queue } = await here.readWrite(name).inspect();
      expect(queue).toMatchObject([{ wants: 'upgrade', waiter: { label: 'the worker' } }]);
      expect(queue[0]?.waitedMs).toBeLessThan(30_000);
      await reader.release();
      await upgraded;
      await upgradeable.release();
      await nothingLeft(here.readWrite(name));
    });

    it('a lock, a semaphore and a read-write lock of the same name do not meet', async () => {
      const uses = {
        lock: (one: Holdfast, name: string) => one.lock(name).tryAcquire(),
        semaphore: (one: Holdfast, name: string) => one.semaphore(name, { limit: 2 }).tryAcquire(),
        'read-write lock': (one: Holdfast, name: string) => one.readWrite(name).read.tryAcquire(),
      };
      const kinds = Object.keys(uses) as (keyof typeof uses)[];
      for (const first of kinds) {
        const name = fresh('kinds');
        const lease = await uses[first](here, name);
        for (const other of kinds.filter((kind) => kind !== first)) {
          const error = await caught(uses[other](there, name));
          expect(error, `${other} on ${first}`).toBeInstanceOf(WrongTypeError);
          expect(error).toMatchObject({ found: first, lockName: name });
          expect(String(error)).toContain(`holds a ${first} of Holdfast, so it is no ${other}`);
        }
        if (first !== 'lock') expect(await caught(there.inspect(name))).toBeInstanceOf(WrongTypeError);
        if (first !== 'semaphore')
          expect(await caught(there.semaphore(name).inspect())).toBeInstanceOf(WrongTypeError);
        if (first !== 'read-write lock')
          expect(await caught(there.readWrite(name).inspect())).toBeInstanceOf(WrongTypeError);
        expect(await lease?.release()).toBe('released');
      }
    });

    it('waits of readers, writers and upgrades that go round in a circle are found, the youngest is told', async () => {
      const [one, two] = both('circle');
      const [mine, theirs] = both('crossing');
      const [written, alsoWritten] = [await one.write.acquire(), await theirs.write.acquire()];
      const first = mine.read.acquire({ within: written });
      await queueOf(mine, 1);
      const error = await caught(two.read.acquire({ within: alsoWritten }));
      expect(error).toBeInstanceOf(DeadlockError);
      expect((error as DeadlockError).cycle).toMatchObject([
        { holds: theirs.name, waitsFor: two.name, kind: 'read-write lock' },
        { holds: one.name, waitsFor: mine.name },
      ]);
      await alsoWritten.release();
      await (await first).release();
      await written.release();

      // A lease that may upgrade, and a reader that waits for something that its holder has.
      const key = fresh('key');
      const reader = await two.read.acquire();
      let freed: Promise<Lease> | undefined;
      await here.lock(key).use(async () => {
        const lease = await one.upgradeable.acquire();
        const waiting = there.lock(key).acquire({ within: reader });
        await eventually(async () => (await here.inspect(key)).queueLength === 1);
        expect(await caught(lease.upgrade())).toBeInstanceOf(DeadlockError);
        expect(lease).toMatchObject({ mode: 'upgradeable', lost: undefined });
        await lease.release();
        freed = waiting;
      });
      await (await freed)?.release();

      // A plain reader that would write waits for the upgrade, which waits for it.
      const lease = await one.upgradeable.acquire();
      const upgraded = lease.upgrade();
      await queueOf(one, 1);
      expect(await caught(two.write.acquire({ within: reader }))).toBeInstanceOf(DeadlockError);
      await reader.release();
      await upgraded;
      await lease.release();
      await nothingLeft(one);
    });

    it('an upgrade within its own lease that waits for a reader who runs is no circle', async () => {
      const [one, two] = both('no-circle');
      const reader = await two.read.acquire();
      await one.upgradeable.use(async (lease) => {
        const upgraded = watched(lease.upgrade());
        await queueOf(one, 1);
        await pause(4 * LOOK_MS);
        expect(upgraded.settled).toBe(false);
        await reader.release();
        await upgraded.promise;
        expect(lease.mode).toBe('write');
      });
      await nothingLeft(one);
    });

    it('wrong arguments are refused at once', async () => {
      expect(() => here.readWrite('')).toThrow(TypeError);
      expect(() => here.readWrite('args', { limit: 3 } as object)).toThrow(/"limit" is not an option/);
      const lock = here.readWrite(fresh('args'));
      await expect(lock.read.acquire({ permits: 2 } as object)).rejects.toBeInstanceOf(TypeError);
      await expect(lock.write.use(undefined as never)).rejects.toBeInstanceOf(TypeError);
      const lease = await lock.upgradeable.acquire();
      await expect(lease.upgrade({ ttlMs: 5 } as object)).rejects.toBeInstanceOf(TypeError);
      await expect(lease.upgrade({ waitMs: -1 })).rejects.toBeInstanceOf(RangeError);
      await lease.release();
    });

    it('use runs with the lease, returns the result and releases; its own error wins', async () => {
      const [one] = both('use');
      expect(await one.read.use(({ mode }) => mode)).toBe('read');
      expect(await one.upgradeable.use(({ mode }) => mode)).toBe('upgradeable');
      const mine = new Error('mine');
      await expect(one.write.use(() => Promise.reject(mine))).rejects.toBe(mine);
      await expect(one.read.use(lostOf, { ttlMs: 50, renew: false })).rejects.toBeInstanceOf(LeaseLostError);
      await nothingLeft(one);
    });

    it('close ends waits and upgrades, aborts and releases what is held', async () => {
      const closing = await another();
      const name = fresh('close');
      const reader = await here.readWrite(name).read.acquire();
      const lease = await closing.readWrite(name).upgradeable.acquire();
      const { signal } = lease;
      const asked = caught(lease.upgrade());
      await queueOf(here.readWrite(name), 1);
      const waiting = caught(closing.readWrite(name).write.acquire());
      await queueOf(here.readWrite(name), 2);
      await closing.close();
      expect(await waiting).toBeInstanceOf(ClosedError);
      expect(await asked).toBeInstanceOf(ClosedError);
      expect(signal.reason).toMatchObject({ reason: 'closed' });
      expect(await caught(closing.readWrite(name).read.acquire())).toBeInstanceOf(ClosedError);
      await reader.release();
      await nothingLeft(here.readWrite(name));
    });

    it('any name is a read-write lock of its own, and prefixes keep instances apart', async () => {
      const [a, b] = [await another({ prefix: 'a' }), await another({ prefix: 'b' })];
      for (const name of NAMES) {
        const [one, two] = await Promise.all([a, b].map((each) => each.readWrite(name).write.tryAcquire()));
        expect([one?.mode, two?.mode], name).toEqual(['write', 'write']);
        const waiting = a.readWrite(name).read.acquire();
        await queueOf(a.readWrite(name), 1);
        expect((await b.readWrite(name).inspect()).queueLength).toBe(0);
        await one?.release();
        await (await waiting).release();
        await two?.release();
      }
    });

    it('in a crowd of all kinds, some of them impatient, no writer meets anybody, and nothing is lost', {
      timeout: 30_000,
    }, async () => {
      const [one, two] = both('crowd', { ttlMs: 2_000, waitMs: 15_000 });
      const book = new Book();
      const patienceMs = 250;
      const all = await one.write.acquire();
      const impatient = (i: number) => {
        if (i % 9 === 0) return { waitMs: patienceMs + i };
        return i % 11 === 0 ? { signal: AbortSignal.timeout(patienceMs + i) } : {};
      };
      const expected = (error: Error) => {
        expect(['AcquireTimeoutError', 'TimeoutError']).toContain(error.name);
        return undefined;
      };
      const hold = () => pause(Math.random() * 4);
      const read = async (lock: ReadWrite, i: number) => {
        const lease = await lock.read.acquire(impatient(i)).catch(expected);
        if (lease === undefined) return;
        book.enter('read');
        await hold();
        book.leave('read');
        await lease.release();
      };
      const write = async (lock: ReadWrite, i: number) => {
        const lease = await lock.write.acquire(impatient(i)).catch(expected);
        if (lease === undefined) return;
        book.enter('write');
        await hold();
        if (i % 2) book.become('write', 'read');
        if (i % 2) await lease.downgrade();
        if (i % 2) await hold();
        book.leave(i % 2 ? 'read' : 'write');
        await lease.release();
      };
      const upgrade = async (lock: ReadWrite, i: number) => {
        const lease = await lock.upgradeable.acquire(impatient(i)).catch(expected);
        if (lease === undefined) return;
        book.enter('upgradeable');
        await hold();
        const upgraded = await lease.upgrade(i % 3 ? {} : { waitMs: 2 }).then(() => true, expected);
        if (upgraded) book.become('upgradeable', 'write');
        await hold();
        book.leave(upgraded ? 'write' : 'upgradeable');
        await lease.release();
      };
      const everybody = Array.from({ length: 120 }, (_, i) => {
        const lock = i % 2 ? one : two;
        const kind = (i * 7) % 10;
        return kind < 5 ? read(lock, i) : kind < 7 ? upgrade(lock, i) : write(lock, i);
      });
      await pause(patienceMs + 30);
      await all.release();
      await Promise.all(everybody);
      expect(book.faults).toEqual([]);
      expect(book.served).toBeGreaterThan(80);
      await nothingLeft(one);
    });

    it('events tell of everything, without a holderId', async () => {
      const one = await another();
      const seen: Record<string, object> = {};
      for (const event of ['acquired', 'waited', 'handedOff', 'released'] as const) {
        one.on(event, (details) => (seen[event] = details));
      }
      const lock = one.readWrite(fresh('events'));
      const first = await lock.read.acquire();
      const second = await lock.upgradeable.acquire();
      const upgraded = second.upgrade();
      await queueOf(lock, 1);
      await first.release();
      await upgraded;
      const { name } = lock;
      expect(seen.acquired).toMatchObject({ name, handedOff: true, fencingToken: second.fencingToken });
      expect(seen.waited).toMatchObject({ name, outcome: 'acquired' });
      expect(seen.handedOff).toMatchObject({ name, fencingToken: first.fencingToken });
      await second.release();
      expect(seen.released).toMatchObject({ name, outcome: 'released', fencingToken: second.fencingToken });
      for (const secret of [first.holderId, second.holderId]) {
        expect(JSON.stringify([seen, first, second])).not.toContain(secret.slice(0, 26));
      }
    });
  });
}
