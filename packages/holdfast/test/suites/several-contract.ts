/** More than one lock: all or nothing, deadlocks, the same lock again, and the pause after a lease that expired. */
import { describe, expect, it } from 'vitest';
import { aborted, eventually } from '../../../testkit/src/index.ts';
import { AcquireTimeoutError, DeadlockError, type Holdfast, type LeaseSet } from '../../src/index.ts';
import { type Backend, fresh, withInstances } from './backend.ts';

export function severalContract(title: string, start: () => Promise<Backend>): void {
  describe(`several at once: ${title}`, () => {
    let here: Holdfast;
    let there: Holdfast;
    const another = withInstances(start, (opened) => {
      ({ here, there } = opened);
    });
    const isFree = async (name: string) => (await here.inspect(name)).holder === undefined;

    it('all are held, or none', async () => {
      const [a, b, c] = [fresh('a'), fresh('b'), fresh('c')];
      const all = here.all([c, a, b, a]);
      expect(all.names).toEqual([a, b, c]);
      const leases = await all.acquire();
      expect(Object.keys(leases.fencingTokens)).toEqual([a, b, c]);
      for (const name of [a, b, c]) expect(await there.lock(name).tryAcquire()).toBeUndefined();
      expect(leases.remainingMs()).toBeGreaterThan(0);
      expect(await leases.renew()).toBe('renewed');
      expect(await leases.release()).toBe('released');
      const one = await there.lock(b).acquire();
      expect(one.fencingToken).toBeGreaterThan(leases.fencingTokens[b] ?? 0);
      expect(await all.tryAcquire()).toBeUndefined();
      expect(await isFree(a)).toBe(true);
      expect(await isFree(c)).toBe(true);
      await one.release();
    });

    it('waits for one that is held, and has all as soon as it is released', async () => {
      const [a, b] = [fresh('a'), fresh('b')];
      const held = await there.lock(b).acquire();
      const waiting = here.all([a, b]).acquire();
      await eventually(async () => expect((await here.inspect(b)).queueLength).toBe(1));
      expect(await there.lock(a).tryAcquire()).toBeUndefined();
      await held.release();
      const leases = await waiting;
      expect(leases.fencingTokens[b]).toBeGreaterThan(held.fencingToken);
      await leases.release();
    });

    it('a wait that ends without one of them gives the others back, and says for which', async () => {
      const [a, b] = [fresh('a'), fresh('b')];
      await using held = await there.lock(b).acquire();
      const waiting = here.all([b, a]).acquire({ waitMs: 60 });
      await expect(waiting).rejects.toSatisfy(
        (error) => error instanceof AcquireTimeoutError && error.lockName === b && error.waitedMs > 50,
      );
      const aborting = new AbortController();
      const aborted = here.all([a, b]).acquire({ signal: aborting.signal });
      await eventually(async () => expect((await here.inspect(b)).queueLength).toBe(1));
      aborting.abort(new Error('enough'));
      await expect(aborted).rejects.toThrow('enough');
      expect(await isFree(a)).toBe(true);
      expect(held.lost).toBeUndefined();
    });

    it('whatever the order in which they are named, nobody blocks anybody', async () => {
      const names = ['a', 'b', 'c'].map(fresh);
      let inside = 0;
      const alone = async (leases: LeaseSet) => {
        expect(++inside).toBe(1);
        await leases.renew();
        inside--;
      };
      const orders = [names, names.toReversed(), [names[1], names[2], names[0]] as string[]];
      const work = (holdfast: Holdfast, order: string[]) =>
        Array.from({ length: 5 }, () => holdfast.all(order, { waitMs: 30_000 }).use(alone));
      await Promise.all(orders.flatMap((order) => [...work(here, order), ...work(there, order)]));
    });

    it('locks and permits of semaphores together', async () => {
      const [name, seats] = [fresh('lock'), fresh('seats')];
      const semaphore = here.semaphore(seats, { limit: 3 });
      const both = [here.lock(name), { semaphore, permits: 2 }];
      const leases = await here.all(both).acquire();
      expect(leases.leases.map((one) => ('permits' in one ? one.permits : 'lock'))).toEqual(['lock', 2]);
      expect(await there.semaphore(seats, { limit: 3 }).tryAcquire(2)).toBeUndefined();
      await here.all([semaphore]).use(async () => {
        expect(await here.all(both).tryAcquire()).toBeUndefined();
      });
      await leases.release();
      await here.all(both).use(() => {});
    });

    it('one that is lost aborts the signal of all', async () => {
      const [a, b] = [fresh('a'), fresh('b')];
      const leases = await here.all([here.lock(a, { maxHoldMs: 300 }), b]).acquire();
      await aborted(leases.signal);
      expect(leases.signal.reason).toMatchObject({ name: 'LeaseLostError', lockName: a, reason: 'max-hold' });
      expect(leases.lost).toBe(leases.signal.reason);
      expect(leases.remainingMs()).toBe(0);
      await leases.release();
      expect(await isFree(b)).toBe(true);
      await expect(
        here.all([a, b], { maxHoldMs: 200 }).use(({ signal }) => aborted(signal)),
      ).rejects.toMatchObject({ name: 'LeaseLostError', reason: 'max-hold' });
    });

    it('each lock keeps a bound of its own, also where all are free', async () => {
      const [a, b] = [fresh('a'), fresh('b')];
      const leases = await here.all([a, here.lock(b, { maxHoldMs: 500 })]).acquire();
      expect((await here.inspect(a)).remainingMs).toBeGreaterThan(5_000);
      expect((await here.inspect(b)).remainingMs).toBeLessThan(600);
      await leases.release();
    });

    it('one that is something else is told by its name, and the others are given back', async () => {
      const [a, b] = [fresh('a'), fresh('b')];
      await using seat = await here.semaphore(b, { limit: 1 }).acquire();
      const told = { name: 'WrongTypeError', lockName: b };
      await expect(here.all([a, b]).acquire()).rejects.toMatchObject(told);
      await expect(here.all([a, b]).tryAcquire()).rejects.toMatchObject(told);
      expect(await isFree(a)).toBe(true);
      expect(seat.lost).toBeUndefined();
    });

    it('bad input is refused at once', async () => {
      const semaphore = here.semaphore(fresh('s'), { limit: 3 });
      expect(() => here.all([])).toThrow(
        'all(): expected at least one lock, name or semaphore, got an empty list',
      );
      expect(() => here.all('a' as never)).toThrow('expected a list');
      expect(() => here.all([1 as never])).toThrow('expected a list of names');
      expect(() => here.all(['a', ''])).toThrow('name');
      expect(() => here.all(['a'], { waitMS: 1 } as never)).toThrow('"waitMS" is not an option here');
      expect(() => here.all([semaphore, { semaphore, permits: 2 }])).toThrow('is there twice');
      expect(() => here.all([there.lock('a')])).toThrow('belongs to another Holdfast instance');
      await expect(here.all([{ semaphore, permits: 4 }]).acquire()).rejects.toThrow(RangeError);
      await using lease = await there.lock(fresh('theirs')).acquire();
      await expect(here.lock(fresh('ours')).acquire({ within: lease })).rejects.toThrow(
        'within: expected a lease of this Holdfast instance, got one of another',
      );
      await expect(here.lock(fresh('ours')).acquire({ within: {} as never })).rejects.toThrow(
        'expected a lease',
      );
    });

    it('of two that wait for each other, the one that began last is told of the circle', async () => {
      const [a, b] = [fresh('a'), fresh('b')];
      const one = await here.lock(a).acquire();
      const other = await there.lock(b).acquire();
      const first = here.lock(b).acquire({ within: one });
      await eventually(async () => expect((await here.inspect(b)).queueLength).toBe(1));
      const began = performance.now();
      const second = there.lock(a).acquire({ within: other });
      const error = await second.catch((reason: unknown) => reason);
      expect(performance.now() - began).toBeLessThan(2_000);
      expect(error).toBeInstanceOf(DeadlockError);
      expect((error as DeadlockError).cycle).toMatchObject([
        { holds: b, waitsFor: a, process: { pid: process.pid } },
        { holds: a, waitsFor: b, process: { pid: process.pid } },
      ]);
      expect(String(error)).toMatch(/deadlock.*holds ".*" and has waited \d+ ms for ".*"; .*holds/);
      await other.release();
      const got = await first;
      await got.release();
      await one.release();
    });

    it('whoever waits for itself is told so, and again has another lease where that is wanted', async () => {
      const name = fresh('self');
      await here.lock(name).use(async (lease) => {
        await expect(here.lock(name).acquire()).rejects.toThrow('it is held by its own caller');
        expect(lease.lost).toBeUndefined();
      });
      const lock = here.lock(name, { reentrant: true });
      await lock.use(async (outer) => {
        const inner = await lock.acquire();
        expect(inner.fencingToken).toBe(outer.fencingToken);
        const innermost = await lock.tryAcquire({ within: inner });
        expect(await inner.release()).toBe('released');
        expect(inner.remainingMs()).toBe(0);
        expect(outer.remainingMs()).toBeGreaterThan(0);
        expect(await there.lock(name).tryAcquire()).toBeUndefined();
        expect(await innermost?.release()).toBe('released');
        expect(await innermost?.release()).toBe('released');
      });
      expect(await isFree(name)).toBe(true);
      const left = await lock.use(() => lock.acquire());
      expect(await there.lock(name).tryAcquire()).toBeUndefined();
      expect(await left.release()).toBe('released');
      await there.lock(name).use(() => {});
    });

    it('waits of holders that do not go round in a circle end well', async () => {
      const holdfast = await another();
      const [a, b, c] = [fresh('a'), fresh('b'), fresh('c')];
      const instances = [here, there, holdfast];
      const chain = async (one: Holdfast) => {
        await one.lock(a, { waitMs: 30_000 }).use(async () => {
          await one.lock(b, { waitMs: 30_000 }).use(async () => {
            await one.lock(c, { waitMs: 30_000 }).use(() => {});
          });
        });
      };
      await Promise.all(Array.from({ length: 15 }, (_, i) => chain(instances[i % 3] as Holdfast)));
    });

    it('a lock with a cooldown stays closed after a lease expired, not after a release', async () => {
      const name = fresh('cooldown');
      const lock = here.lock(name, { ttlMs: 100, renew: false, cooldownMs: 400 });
      await (await lock.acquire()).release();
      const began = performance.now();
      const lease = await lock.acquire();
      expect(lease.remainingMs()).toBeLessThanOrEqual(100);
      const next = await there.lock(name, { cooldownMs: 400 }).acquire();
      expect(performance.now() - began).toBeGreaterThan(490);
      expect(lease.lost).toMatchObject({ reason: 'expired' });
      expect(await lease.release()).toBe('expired');
      expect(next.lost).toBeUndefined();
      await next.release();
      await (await lock.tryAcquire())?.release();
      expect(await isFree(name)).toBe(true);
    });
  });
}
