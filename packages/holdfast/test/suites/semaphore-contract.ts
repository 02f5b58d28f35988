/** What a semaphore has to do on every backend and with every client. */
import { describe, expect, it } from 'vitest';
import { aborted, eventually } from '../../../testkit/src/index.ts';
import {
  AcquireTimeoutError,
  ClosedError,
  type Holdfast,
  LeaseLostError,
  type Semaphore,
  type SemaphoreLease,
  WrongTypeError,
} from '../../src/index.ts';
import { type Backend, fresh, NAMES, withInstances } from './backend.ts';

const lostOf = ({ signal }: SemaphoreLease) => aborted(signal);
const slotsOf = (lease: SemaphoreLease | undefined) => lease?.slots.map(({ slot }) => slot);

/** A promise that tells whether it has settled. */
function watched<T>(promise: Promise<T>) {
  const state = { settled: false, promise };
  const settle = () => {
    state.settled = true;
  };
  promise.then(settle, settle);
  return state;
}

/**
 * @param slots on one server the lowest free ones, for those who want them; over a quorum each permit has one, any that is free
 */
export function semaphoreContract(
  title: string,
  start: () => Promise<Backend>,
  slots: 'lowest' | 'any' = 'lowest',
): void {
  describe(`semaphore contract: ${title}`, () => {
    let here: Holdfast;
    let there: Holdfast;
    const another = withInstances(start, (opened) => {
      ({ here, there } = opened);
    });
    const queueOf = async (semaphore: Semaphore, length: number) =>
      eventually(async () => (await semaphore.inspect()).queueLength === length, {
        what: `${length} waiters`,
      });
    const nothingLeft = async (semaphore: Semaphore, limit: number) => {
      await eventually(async () => {
        expect(await semaphore.inspect()).toMatchObject({ held: 0, free: limit, leases: [], queueLength: 0 });
        return true;
      });
      const all = await semaphore.tryAcquire(limit);
      expect(all?.permits).toBe(limit);
      await all?.release();
    };

    it('each acquire has an identity of its own: 20 at once on one object with limit 5 give 5 [15]', async () => {
      const seats = here.semaphore(fresh('own'), { limit: 5 });
      const leases = await Promise.all(Array.from({ length: 20 }, () => seats.tryAcquire()));
      const got = leases.filter((lease) => lease !== undefined);
      expect(got).toHaveLength(5);
      expect(new Set(got.map(({ fencingToken }) => fencingToken)).size).toBe(5);
      expect(await there.semaphore(seats.name, { limit: 5 }).tryAcquire()).toBeUndefined();
      expect(await got[0]?.release()).toBe('released');
      got[0] = (await there.semaphore(seats.name, { limit: 5 }).tryAcquire()) as SemaphoreLease;
      expect(got[0]?.permits).toBe(1);
      await Promise.all(got.map((lease) => lease.release()));
      await nothingLeft(seats, 5);
    });

    it('permits are taken all or none', async () => {
      const seats = here.semaphore(fresh('weights'), { limit: 7 });
      const four = await seats.acquire({ permits: 4 });
      expect(await there.semaphore(seats.name).tryAcquire(4)).toBeUndefined();
      const three = await there.semaphore(seats.name).tryAcquire(3);
      expect(three?.permits).toBe(3);
      expect(await seats.tryAcquire({ permits: 1 })).toBeUndefined();
      expect(await four.release()).toBe('released');
      await using again = await seats.tryAcquire(4);
      expect(again?.permits).toBe(4);
      await three?.release();
    });

    it('waiters are served in arrival order, and one release serves several', async () => {
      const seats = here.semaphore(fresh('order'), { limit: 4 });
      const all = await seats.acquire(4);
      const served: number[] = [];
      const waits: Promise<SemaphoreLease>[] = [];
      for (let i = 0; i < 8; i++) {
        const wait = (i % 2 ? here : there).semaphore(seats.name).acquire();
        void wait.then(() => served.push(i));
        waits.push(wait);
        await queueOf(seats, i + 1);
      }
      expect(await all.release()).toBe('released');
      const first = await Promise.all(waits.slice(0, 4));
      await expect(seats.inspect()).resolves.toMatchObject({ held: 4, free: 0, queueLength: 4 });
      for (const lease of first) await lease.release();
      await Promise.all((await Promise.all(waits)).map((lease) => lease.release()));
      // Grants of one release to two processes arrive by two connections.
      expect([...served.slice(0, 4)].sort()).toEqual([0, 1, 2, 3]);
      expect([...served.slice(4)].sort()).toEqual([4, 5, 6, 7]);
      await nothingLeft(seats, 4);
    });

    it('a large request is not overtaken, neither by waiters behind it nor by newcomers', async () => {
      const seats = here.semaphore(fresh('large'), { limit: 3 });
      const [one, two] = [await seats.acquire(), await seats.acquire(2)];
      const large = watched(there.semaphore(seats.name).acquire({ permits: 3 }));
      await queueOf(seats, 1);
      const small = watched(seats.acquire());
      await queueOf(seats, 2);
      await two.release();
      expect(await seats.tryAcquire()).toBeUndefined();
      expect(await seats.inspect()).toMatchObject({ held: 1, free: 2, queueLength: 2 });
      expect([large.settled, small.settled]).toEqual([false, false]);
      await one.release();
      const lease = await large.promise;
      expect(small.settled).toBe(false);
      await lease.release();
      await (await small.promise).release();
    });

    it('whoever gives up at the head lets those behind it through', async () => {
      const seats = here.semaphore(fresh('head'), { limit: 3 });
      const held = await seats.acquire(2);
      const abort = new AbortController();
      const head = there.semaphore(seats.name).acquire({ permits: 3, signal: abort.signal });
      await queueOf(seats, 1);
      const behind = seats.acquire();
      await queueOf(seats, 2);
      const reason = { my: 'reason' };
      abort.abort(reason);
      expect(await head.catch((e: unknown) => e)).toBe(reason);
      await (await behind).release();
      const late = there.semaphore(seats.name).acquire({ permits: 3, waitMs: 150 });
      await queueOf(seats, 1);
      const next = seats.acquire();
      const error = await late.catch((e: unknown) => e);
      expect(error).toBeInstanceOf(AcquireTimeoutError);
      expect(error).toMatchObject({ code: 'HOLDFAST_ACQUIRE_TIMEOUT', lockName: seats.name });
      expect(String(error)).toContain(`semaphore ${JSON.stringify(seats.name)}`);
      await (await next).release();
      await held.release();
      await nothingLeft(seats, 3);
    });

    it('waitMs: 0 fails at once, and an aborted signal before anything is sent', async () => {
      const seats = here.semaphore(fresh('nowait'), { limit: 1 });
      await using _held = await seats.acquire();
      await expect(seats.acquire({ waitMs: 0 })).rejects.toBeInstanceOf(AcquireTimeoutError);
      const reason = new Error('mine');
      await expect(seats.tryAcquire({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    });

    it('each lease lives its own time, whatever the others do [26, 27]', async () => {
      const seats = here.semaphore(fresh('ttls'), { limit: 2 });
      const long = await seats.acquire({ ttlMs: 60_000 });
      const short = await there.semaphore(seats.name).acquire({ ttlMs: 150, renew: false });
      const { signal } = short;
      const next = await seats.acquire({ waitMs: 5_000, ttlMs: 1_000 });
      expect(signal.aborted).toBe(true);
      expect(signal.reason).toBeInstanceOf(LeaseLostError);
      expect(signal.reason).toMatchObject({ reason: 'expired', lockName: seats.name });
      expect(['expired', 'lost']).toContain(await short.release());
      expect(await seats.inspect()).toMatchObject({ held: 2, free: 0 });
      expect(long.remainingMs()).toBeGreaterThan(50_000);
      await Promise.all([long.release(), next.release()]);
    });

    it('a permit that ran out is free for whoever tries next, without waiters too [27]', async () => {
      const seats = here.semaphore(fresh('ran-out'), { limit: 1 });
      const short = await seats.acquire({ ttlMs: 80, renew: false });
      await lostOf(short);
      await eventually(async () => (await seats.inspect()).free === 1);
      expect(await seats.inspect()).toMatchObject({ held: 0, leases: [] });
      await using next = await there.semaphore(seats.name).tryAcquire();
      expect(next?.fencingToken).toBeGreaterThan(short.fencingToken);
      expect(await short.release()).toBe('expired');
      expect(await there.semaphore(seats.name).tryAcquire()).toBeUndefined();
    });

    it('a lease is renewed for as long as its process lives', async () => {
      const one = await another();
      const renewals: number[] = [];
      one.on('renewed', ({ remainingMs }) => renewals.push(remainingMs));
      const seats = one.semaphore(fresh('renewed'), { limit: 1, ttlMs: 150 });
      const lease = await seats.acquire();
      await eventually(() => renewals.length > 5);
      expect(lease.signal.aborted).toBe(false);
      expect(await there.semaphore(seats.name).tryAcquire()).toBeUndefined();
      expect(await lease.renew(5_000)).toBe('renewed');
      expect(lease.remainingMs()).toBeGreaterThan(4_000);
      expect(await lease.release()).toBe('released');
      expect(await lease.renew()).toBe('lost');
      await nothingLeft(seats, 1);
    });

    it('maxHoldMs ends a lease that would be renewed for ever', async () => {
      const seats = here.semaphore(fresh('max'), { limit: 1, ttlMs: 100, maxHoldMs: 250 });
      const lease = await seats.acquire();
      await lostOf(lease);
      expect(lease.lost?.reason).toBe('max-hold');
      await (await there.semaphore(seats.name).acquire({ waitMs: 5_000 })).release();
    });

    it('raising the limit serves waiters at once', async () => {
      const seats = here.semaphore(fresh('raise'), { limit: 1 });
      const held = await seats.acquire();
      const waits = Array.from({ length: 4 }, () => there.semaphore(seats.name).acquire());
      await queueOf(seats, 4);
      await seats.setLimit(4);
      const got = await Promise.all(waits.slice(0, 3));
      expect(await seats.inspect()).toMatchObject({ limit: 4, held: 4, free: 0, queueLength: 1 });
      await seats.setLimit(5);
      got.push((await waits[3]) as SemaphoreLease);
      await Promise.all([held, ...got].map((lease) => lease.release()));
      await nothingLeft(seats, 5);
    });

    it('lowering the limit takes nothing from anybody, and admits nobody until enough have left', async () => {
      const seats = here.semaphore(fresh('lower'), { limit: 4 });
      const leases = await Promise.all(Array.from({ length: 4 }, () => seats.acquire()));
      // Over a quorum those above the new limit have to leave.
      leases.sort((a, b) => (b.slots[0]?.slot ?? 0) - (a.slots[0]?.slot ?? 0));
      await there.semaphore(seats.name).setLimit(2);
      expect(await seats.inspect()).toMatchObject({ limit: 2, held: 4, free: 0 });
      const waiting = watched(there.semaphore(seats.name).acquire());
      await queueOf(seats, 1);
      await leases[0]?.release();
      await leases[1]?.release();
      expect(await seats.inspect()).toMatchObject({ held: 2, queueLength: 1 });
      expect(waiting.settled).toBe(false);
      expect(leases[2]?.signal.aborted).toBe(false);
      await leases[2]?.release();
      await (await waiting.promise).release();
      await leases[3]?.release();
      await nothingLeft(seats, 2);
    });

    it('a waiter for more than a lowered limit is told at once, and does not block the others', async () => {
      const seats = here.semaphore(fresh('too-many'), { limit: 4 });
      const held = await seats.acquire(1);
      const large = there.semaphore(seats.name).acquire({ permits: 4 });
      await queueOf(seats, 1);
      const small = seats.acquire({ permits: 2 });
      await queueOf(seats, 2);
      await seats.setLimit(3);
      expect(await large.catch((e: unknown) => e)).toBeInstanceOf(RangeError);
      // Over a quorum its slot may be above the new limit.
      if (slots === 'any') await held.release();
      await (await small).release();
      await held.release();
      await nothingLeft(seats, 3);
    });

    it('the stored limit wins, the difference is told once, and the limit may be left out where it is set', async () => {
      const name = fresh('differs');
      const one = await another();
      const warnings: { code: string; message: string }[] = [];
      one.on('warning', (warning) => warnings.push(warning));
      const first = here.semaphore(name, { limit: 3 });
      const held = await first.acquire();
      const other = one.semaphore(name, { limit: 1 });
      const more = [await other.tryAcquire(), await other.tryAcquire(), await other.tryAcquire()];
      expect(more.map((lease) => lease?.permits)).toEqual([1, 1, undefined]);
      const differs = warnings.filter(({ code }) => code === 'HOLDFAST_LIMIT_DIFFERS');
      expect(differs).toHaveLength(1);
      expect(differs[0]?.message).toMatch(/the limit 1 .* 3 is stored/);
      await Promise.all([held, ...more].map((lease) => lease?.release()));
      await (await one.semaphore(name).acquire(3)).release();
      await expect(one.semaphore(fresh('never-set')).tryAcquire()).rejects.toMatchObject({
        name: 'TypeError',
        message: expect.stringContaining('limit'),
      });
      expect(await one.semaphore(fresh('never-set')).inspect()).toMatchObject({ limit: undefined, held: 0 });
    });

    it('more permits than the limit are refused at once, and so are wrong numbers [28]', async () => {
      const seats = here.semaphore(fresh('range'), { limit: 3 });
      for (const permits of [0, 4, -1, 1.5, Number.NaN, 1_000_001]) {
        await expect(seats.acquire({ permits }), String(permits)).rejects.toBeInstanceOf(RangeError);
        await expect(seats.tryAcquire(permits), String(permits)).rejects.toBeInstanceOf(RangeError);
      }
      for (const limit of [0, -1, 1.5, 1_000_001, Number.POSITIVE_INFINITY]) {
        expect(() => here.semaphore('range', { limit }), String(limit)).toThrow(RangeError);
        await expect(seats.setLimit(limit), String(limit)).rejects.toBeInstanceOf(RangeError);
      }
      await using held = await seats.acquire(3);
      // Without a limit of its own it asks; the answer comes at once all the same, though everything is held.
      const asked = there.semaphore(seats.name).acquire({ permits: 4, waitMs: 60_000 });
      await expect(asked).rejects.toThrow(/from 1 to the limit 3, got 4/);
      expect(held.permits).toBe(3);
    });

    it('a lock and a semaphore of the same name do not meet', async () => {
      const name = fresh('both');
      const lease = await here.semaphore(name, { limit: 2 }).acquire();
      const lock = await there
        .lock(name)
        .acquire()
        .catch((e: unknown) => e);
      expect(lock).toBeInstanceOf(WrongTypeError);
      expect(lock).toMatchObject({ found: 'semaphore', lockName: name });
      expect(String(lock)).toMatch(/^WrongTypeError: lock .*holds a semaphore .*holdfast\.semaphore\(\)/);
      await expect(there.inspect(name)).rejects.toBeInstanceOf(WrongTypeError);
      await lease.release();
      const other = fresh('other');
      await using _lock = await here.lock(other).acquire();
      const semaphore = await there
        .semaphore(other, { limit: 2 })
        .tryAcquire()
        .catch((e: unknown) => e);
      expect(semaphore).toMatchObject({ name: 'WrongTypeError', found: 'lock', lockName: other });
      expect(String(semaphore)).toMatch(/semaphore .*holds a lock .*holdfast\.lock\(\)/);
    });

    if (slots === 'lowest') {
      it('slots: always the lowest free ones, each held by one lease, with a token that grows', async () => {
        const shards = here.semaphore(fresh('slots'), { limit: 5, slots: true });
        const [a, b, c] = [await shards.tryAcquire(), await shards.tryAcquire(2), await shards.tryAcquire()];
        expect([slotsOf(a), slotsOf(b), slotsOf(c)]).toEqual([[0], [1, 2], [3]]);
        await b?.release();
        const d = await there.semaphore(shards.name, { slots: true }).acquire();
        expect(slotsOf(d)).toEqual([1]);
        expect(d.slots[0]?.fencingToken).toBeGreaterThan(b?.slots[0]?.fencingToken ?? Number.NaN);
        const waiting = there.semaphore(shards.name, { slots: true }).acquire(3);
        await queueOf(shards, 1);
        expect(await shards.inspect()).toMatchObject({ held: 3, free: 2 });
        await a?.release();
        const e = await waiting;
        expect(slotsOf(e)).toEqual([0, 2, 4]);
        expect(e.slots.every(({ fencingToken }) => fencingToken > (b?.fencingToken ?? Number.NaN))).toBe(
          true,
        );
        const seen = await shards.inspect();
        expect(seen.leases.flatMap(({ slots }) => slots).sort()).toEqual([0, 1, 2, 3, 4]);
        await Promise.all([c, d, e].map((lease) => lease?.release()));
        const all = await shards.tryAcquire(5);
        expect(slotsOf(all)).toEqual([0, 1, 2, 3, 4]);
        await all?.release();
      });

      it('slots of leases that ran out, and above a lowered limit, are handled', async () => {
        const shards = here.semaphore(fresh('slot-ends'), { limit: 4, slots: true });
        const kept = await shards.acquire(3);
        const short = await shards.acquire({ ttlMs: 80, renew: false });
        expect(slotsOf(short)).toEqual([3]);
        await lostOf(short);
        const next = await shards.acquire({ waitMs: 5_000 });
        expect(slotsOf(next)).toEqual([3]);
        expect(next.slots[0]?.fencingToken).toBeGreaterThan(short.slots[0]?.fencingToken ?? Number.NaN);
        await shards.setLimit(2);
        await kept.release();
        const low = await shards.acquire({ waitMs: 5_000 });
        expect(slotsOf(low)).toEqual([0]);
        await Promise.all([next.release(), low.release()]);
        await nothingLeft(shards, 2);
      });
    } else {
      it('slots: each permit has one that nobody else has, with a token that grows', async () => {
        const shards = here.semaphore(fresh('slots'), { limit: 5 });
        const [a, b] = [await shards.acquire(2), await there.semaphore(shards.name, { limit: 5 }).acquire(2)];
        const c = await shards.acquire();
        expect([a, b, c].flatMap((lease) => slotsOf(lease)).sort()).toEqual([0, 1, 2, 3, 4]);
        const waiting = there.semaphore(shards.name, { limit: 5 }).acquire(2);
        await queueOf(shards, 1);
        await b.release();
        const d = await waiting;
        expect(slotsOf(d)).toEqual(slotsOf(b));
        const before = Math.max(...b.slots.map(({ fencingToken }) => fencingToken));
        expect(d.slots.every(({ fencingToken }) => fencingToken > before)).toBe(true);
        await Promise.all([a, c, d].map((lease) => lease.release()));
        await nothingLeft(shards, 5);
      });

      it('a lease that ran out gives its slot back', async () => {
        const shards = here.semaphore(fresh('slot-ends'), { limit: 2 });
        const kept = await shards.acquire();
        const short = await shards.acquire({ ttlMs: 80, renew: false });
        await lostOf(short);
        const next = await there.semaphore(shards.name, { limit: 2 }).acquire({ waitMs: 5_000 });
        expect(slotsOf(next)).toEqual(slotsOf(short));
        expect(next.slots[0]?.fencingToken).toBeGreaterThan(short.slots[0]?.fencingToken ?? Number.NaN);
        await Promise.all([kept.release(), next.release()]);
        await nothingLeft(shards, 2);
      });
    }

    it('inspect tells the limit, who holds how many since when, and who waits', async () => {
      const labelled = await another({ label: 'the worker' });
      const name = fresh('inspect');
      const lease = await labelled.semaphore(name, { limit: 3 }).acquire(2);
      const waiting = there.semaphore(name).acquire(2);
      await queueOf(there.semaphore(name), 1);
      const seen = await here.semaphore(name).inspect();
      expect(seen).toMatchObject({ name, limit: 3, held: 2, free: 1, queueLength: 1 });
      expect(seen.leases).toHaveLength(1);
      expect(seen.leases[0]).toMatchObject({ permits: 2, fencingToken: lease.fencingToken });
      expect(seen.leases[0]?.slots).toEqual(slots === 'lowest' ? [] : slotsOf(lease));
      expect(seen.leases[0]?.holder).toMatchObject({ pid: process.pid, label: 'the worker' });
      expect(seen.leases[0]?.heldForMs).toBeLessThan(30_000);
      expect(seen.leases[0]?.remainingMs).toBeGreaterThan(1_000);
      expect(seen.queue).toHaveLength(1);
      expect(seen.queue[0]).toMatchObject({ permits: 2, waiter: { pid: process.pid } });
      expect(JSON.stringify(seen)).not.toContain(lease.holderId.split('.')[0]);
      await lease.release();
      await (await waiting).release();
    });

    it('use runs with the permits, returns the result and releases; its own error wins', async () => {
      const seats = here.semaphore(fresh('use'), { limit: 2 });
      expect(await seats.use(({ permits }) => permits, { permits: 2 })).toBe(2);
      const mine = new Error('mine');
      await expect(seats.use(() => Promise.reject(mine))).rejects.toBe(mine);
      await expect(seats.use(lostOf, { ttlMs: 50, renew: false })).rejects.toBeInstanceOf(LeaseLostError);
      await nothingLeft(seats, 2);
    });

    it('close ends waits, aborts and releases what is held', async () => {
      const one = await another();
      const name = fresh('close');
      const lease = await one.semaphore(name, { limit: 2 }).acquire(2);
      const { signal } = lease;
      const waiting = one
        .semaphore(name)
        .acquire()
        .catch((e: unknown) => e);
      await queueOf(here.semaphore(name), 1);
      await one.close();
      expect(await waiting).toBeInstanceOf(ClosedError);
      expect(signal.reason).toMatchObject({ reason: 'closed' });
      await expect(one.semaphore(name).acquire()).rejects.toBeInstanceOf(ClosedError);
      await expect(one.semaphore(name).setLimit(1)).rejects.toBeInstanceOf(ClosedError);
      await nothingLeft(here.semaphore(name), 2);
    });

    it('any name is a semaphore of its own, and prefixes keep instances apart', async () => {
      const [a, b] = [await another({ prefix: 'a' }), await another({ prefix: 'b' })];
      for (const name of NAMES) {
        const leases = [a, b].map((one) => one.semaphore(name, { limit: 2 }).tryAcquire(2));
        const [one, two] = await Promise.all(leases);
        expect([one?.permits, two?.permits], name).toEqual([2, 2]);
        const waiting = a.semaphore(name).acquire();
        await queueOf(a.semaphore(name), 1);
        expect((await b.semaphore(name).inspect()).queueLength).toBe(0);
        await one?.release();
        await (await waiting).release();
        await two?.release();
      }
    });

    it('in a crowd of mixed weights, some of them impatient, the limit holds and nothing is lost', async () => {
      const limit = 7;
      const seats = here.semaphore(fresh('crowd'), { limit, ttlMs: 2_000 });
      // Held until some of the impatient have given up and others are about to: on a busy machine too they have their answer by then.
      const patienceMs = 250;
      const all = await seats.acquire(limit);
      let held = 0;
      let most = 0;
      let served = 0;
      const one = async (i: number) => {
        const semaphore = (i % 2 ? here : there).semaphore(seats.name, { limit, ttlMs: 2_000 });
        const permits = 1 + ((i * 5) % 7);
        const patience =
          i % 5 === 0
            ? { waitMs: patienceMs + i }
            : i % 7 === 0
              ? { signal: AbortSignal.timeout(patienceMs + i) }
              : {};
        const asked = semaphore.acquire({ permits, waitMs: 15_000, ...patience });
        const lease = await asked.catch((error: Error) => {
          expect(['AcquireTimeoutError', 'TimeoutError']).toContain(error.name);
        });
        if (lease === undefined) return;
        held += permits;
        most = Math.max(most, held);
        served++;
        await new Promise((resolve) => setTimeout(resolve, i % 4));
        held -= permits;
        await lease.release();
      };
      const everybody = Promise.all(Array.from({ length: 80 }, (_, i) => one(i)));
      await new Promise((resolve) => setTimeout(resolve, patienceMs + 30));
      await all.release();
      await everybody;
      expect(most).toBeLessThanOrEqual(limit);
      expect(served).toBeGreaterThan(50);
      await nothingLeft(seats, limit);
    });

    it('events tell of everything, without a holderId', async () => {
      const one = await another();
      const seen: Record<string, object> = {};
      for (const event of ['acquired', 'waited', 'handedOff', 'released'] as const) {
        one.on(event, (details) => (seen[event] = details));
      }
      const seats = one.semaphore(fresh('events'), { limit: 2 });
      const first = await seats.acquire(2);
      const waiting = seats.acquire();
      await queueOf(seats, 1);
      await first.release();
      const second = await waiting;
      await second.release();
      const { name } = seats;
      expect(seen.acquired).toMatchObject({ name, handedOff: true, tookMs: expect.any(Number) });
      expect(seen.waited).toMatchObject({ name, outcome: 'acquired' });
      expect(seen.handedOff).toMatchObject({ name, fencingToken: first.fencingToken });
      expect(seen.released).toMatchObject({ name, outcome: 'released', heldMs: expect.any(Number) });
      for (const secret of [first.holderId, second.holderId]) {
        expect(JSON.stringify([seen, first, second])).not.toContain(secret.slice(0, 26));
      }
    });

    it('forceRelease ends the lease with that token, all its permits and slots, and serves who waits', async () => {
      const seats = here.semaphore(fresh('force'), { limit: 3, slots: true });
      const there1 = there.semaphore(seats.name, { limit: 3, slots: true });
      const two = await there1.acquire({ permits: 2, renew: false, ttlMs: 60_000 });
      const one = await there1.acquire({ permits: 1, ttlMs: 60_000 });
      const waiting = there1.acquire({ permits: 2, ttlMs: 60_000 });
      await queueOf(seats, 1);
      expect(await seats.forceRelease(two.fencingToken + 1_000_000)).toBe('expired');
      expect(await seats.forceRelease(two.fencingToken)).toBe('handedOff');
      const next = await waiting;
      expect(await seats.inspect()).toMatchObject({ held: 3, free: 0, queueLength: 0 });
      expect(await two.renew()).not.toBe('renewed');
      expect(await one.renew()).toBe('renewed');
      expect(await seats.forceRelease(one.fencingToken)).toBe('released');
      expect(await next.release()).toBe('released');
      await nothingLeft(seats, 3);
    });
  });
}
