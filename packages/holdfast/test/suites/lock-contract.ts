/** What every backend and every client has to do. One `Backend` per server; each `open()` stands for another process. */
import { describe, expect, it } from 'vitest';
import { aborted, eventually } from '../../../testkit/src/index.ts';
import {
  AcquireTimeoutError,
  ClosedError,
  type Holdfast,
  type Lease,
  LeaseLostError,
} from '../../src/index.ts';
import { type Backend, fresh, NAMES, withInstances } from './backend.ts';

export function lockContract(title: string, start: () => Promise<Backend>): void {
  describe(`lock contract: ${title}`, () => {
    let here: Holdfast;
    let there: Holdfast;
    const another = withInstances(start, (opened) => {
      ({ here, there } = opened);
    });

    it('a held lock is busy for everybody else, and free after its release', async () => {
      const name = fresh('busy');
      const lease = await here.lock(name).acquire();
      expect(await here.lock(name).tryAcquire()).toBeUndefined();
      expect(await there.lock(name).tryAcquire()).toBeUndefined();
      expect(await lease.release()).toBe('released');
      await using again = await there.lock(name).tryAcquire();
      expect(again?.fencingToken).toBeGreaterThan(lease.fencingToken);
    });

    it('of 20 that try at once exactly one gets it', async () => {
      const name = fresh('race');
      const tries = Array.from({ length: 20 }, (_, i) => (i % 2 ? here : there).lock(name).tryAcquire());
      const leases = (await Promise.all(tries)).filter((lease) => lease !== undefined);
      expect(leases).toHaveLength(1);
      await leases[0]?.release();
    });

    it('waiters are served in arrival order, each as soon as the one before releases', async () => {
      const name = fresh('order');
      const first = await here.lock(name, { ttlMs: 60_000 }).acquire();
      const served: number[] = [];
      const waits: Promise<void>[] = [];
      for (let i = 0; i < 12; i++) {
        const wait = (i % 2 ? here : there).lock(name, { ttlMs: 60_000 }).acquire();
        const served1 = async (lease: Lease) => {
          served.push(i);
          await lease.release();
        };
        waits.push(wait.then(served1));
        await eventually(async () => expect((await here.inspect(name)).queueLength).toBe(i + 1));
      }
      await first.release();
      await Promise.all(waits);
      expect(served).toEqual([...served.keys()]);
    });

    it('while somebody waits a newcomer does not overtake', async () => {
      const name = fresh('overtake');
      const first = await here.lock(name).acquire();
      const waiting = there.lock(name).acquire();
      await eventually(async () => expect((await here.inspect(name)).queueLength).toBe(1));
      const released = first.release();
      const newcomer = await here.lock(name).tryAcquire();
      expect(newcomer).toBeUndefined();
      await released;
      await (await waiting).release();
    });

    it('fencing tokens grow with every grant, handed off or not', async () => {
      const name = fresh('fence');
      const tokens: number[] = [];
      const worker = async (holdfast: Holdfast) => {
        for (let i = 0; i < 25; i++)
          await holdfast.lock(name).use(({ fencingToken }) => tokens.push(fencingToken));
      };
      await Promise.all([worker(here), worker(there), worker(here), worker(there)]);
      expect(tokens).toHaveLength(100);
      for (const [i, token] of tokens.entries()) if (i > 0) expect(token).toBeGreaterThan(tokens[i - 1] ?? 0);
      expect(tokens.every(Number.isSafeInteger)).toBe(true);
    });

    it('a wait that times out rejects with AcquireTimeoutError and leaves its place', async () => {
      const name = fresh('timeout');
      await using held = await here.lock(name).acquire();
      const error = await there
        .lock(name)
        .acquire({ waitMs: 50 })
        .catch((e: unknown) => e);
      expect(error).toBeInstanceOf(AcquireTimeoutError);
      expect(error).toMatchObject({
        name: 'AcquireTimeoutError',
        code: 'HOLDFAST_ACQUIRE_TIMEOUT',
        lockName: name,
      });
      expect((await here.inspect(name)).queueLength).toBe(0);
      expect(held.remainingMs()).toBeGreaterThan(0);
    });

    it('waitMs: 0 fails at once', async () => {
      const name = fresh('nowait');
      await using _held = await here.lock(name).acquire();
      await expect(there.lock(name).acquire({ waitMs: 0 })).rejects.toBeInstanceOf(AcquireTimeoutError);
    });

    it("an aborted wait rejects with the signal's reason, untouched, and leaves its place", async () => {
      const name = fresh('abort');
      await using _held = await here.lock(name).acquire();
      const reason = { my: 'reason' };
      const abort = new AbortController();
      const waiting = there
        .lock(name)
        .acquire({ signal: abort.signal })
        .catch((e: unknown) => e);
      await eventually(async () => expect((await here.inspect(name)).queueLength).toBe(1));
      abort.abort(reason);
      expect(await waiting).toBe(reason);
      expect((await here.inspect(name)).queueLength).toBe(0);
      await expect(there.lock(name).tryAcquire({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    });

    it('the signal given to acquire does not end the hold', async () => {
      const abort = new AbortController();
      await using lease = await here.lock(fresh('hold')).acquire({ signal: abort.signal });
      abort.abort();
      expect(lease.signal.aborted).toBe(false);
      expect(await lease.renew()).toBe('renewed');
    });

    it('all calls of release share one answer', async () => {
      const lease = await here.lock(fresh('idempotent')).acquire();
      expect(await Promise.all([lease.release(), lease.release()])).toEqual(['released', 'released']);
      expect(await lease.release()).toBe('released');
      expect(lease.signal.aborted).toBe(false);
    });

    it('a lease is renewed for as long as its process lives, and never after its release', async () => {
      const name = fresh('renewed');
      const one = await another();
      const renewals: number[] = [];
      one.on('renewed', ({ remainingMs }) => renewals.push(remainingMs));
      const lease = await one.lock(name, { ttlMs: 150 }).acquire();
      await eventually(() => expect(renewals.length).toBeGreaterThan(5), { withinMs: 5_000 });
      expect(lease.signal.aborted).toBe(false);
      expect(await there.lock(name).tryAcquire()).toBeUndefined();
      await lease.release();
      await using next = await there.lock(name, { renew: false }).acquire();
      expect(next.fencingToken).toBeGreaterThan(lease.fencingToken);
    });

    it('without renewal the signal aborts before anybody else gets the lock', async () => {
      const name = fresh('expiry');
      const lease = await here.lock(name, { ttlMs: 200, renew: false }).acquire();
      const { signal } = lease;
      const next = await there.lock(name).acquire({ waitMs: 5_000 });
      expect(signal.aborted).toBe(true);
      expect(signal.reason).toBeInstanceOf(LeaseLostError);
      expect(signal.reason).toMatchObject({ reason: 'expired', code: 'HOLDFAST_LEASE_LOST' });
      expect(lease.remainingMs()).toBe(0);
      expect(await lease.release()).toBe('lost');
      expect(await there.lock(name).tryAcquire()).toBeUndefined();
      expect(await next.release()).toBe('released');
    });

    it('a lease that ended and that nobody took since is "expired"', async () => {
      const lease = await here.lock(fresh('expired'), { ttlMs: 50, renew: false }).acquire();
      await aborted(lease.signal);
      await eventually(async () => expect((await here.inspect(lease.name)).state).toBe('free'));
      expect(await lease.release()).toBe('expired');
    });

    it('maxHoldMs ends a lease that would be renewed for ever', async () => {
      const name = fresh('max');
      const lease = await here.lock(name, { ttlMs: 100, maxHoldMs: 300 }).acquire();
      await aborted(lease.signal);
      expect(lease.lost?.reason).toBe('max-hold');
      await using next = await there.lock(name).acquire({ waitMs: 5_000 });
      expect(next.fencingToken).toBeGreaterThan(lease.fencingToken);
    });

    it('use runs under the lock, returns the result and releases', async () => {
      const name = fresh('use');
      expect(await here.lock(name).use((lease) => lease.fencingToken > 0)).toBe(true);
      expect((await here.inspect(name)).state).toBe('free');
    });

    it('use releases when the function throws, and its own error wins', async () => {
      const name = fresh('throws');
      const mine = new Error('mine');
      await expect(here.lock(name).use(() => Promise.reject(mine))).rejects.toBe(mine);
      expect((await here.inspect(name)).state).toBe('free');
    });

    it('use rejects with LeaseLostError when the lease was lost meanwhile', async () => {
      const lock = here.lock(fresh('used'), { ttlMs: 50, renew: false });
      const slow = ({ signal }: Lease) => aborted(signal);
      await expect(lock.use(slow)).rejects.toBeInstanceOf(LeaseLostError);
    });

    it('inspect tells who holds, since when, and how many wait', async () => {
      const name = fresh('inspect');
      const labelled = await another({ label: 'the worker' });
      expect(await here.inspect(name)).toMatchObject({ state: 'free', queueLength: 0, holder: undefined });
      await using lease = await labelled.lock(name).acquire();
      const waiting = there.lock(name).acquire();
      await eventually(async () => expect((await here.inspect(name)).queueLength).toBe(1));
      const seen = await here.inspect(name);
      expect(seen).toMatchObject({ name, state: 'held', foreign: false, fencingToken: lease.fencingToken });
      expect(seen.holder).toMatchObject({ pid: process.pid, label: 'the worker' });
      expect(seen.heldForMs).toBeLessThan(30_000);
      expect(seen.remainingMs).toBeGreaterThan(1_000);
      expect(JSON.stringify(seen)).not.toContain(lease.holderId.split('.')[0]);
      await lease.release();
      await (await waiting).release();
    });

    it('any name is a lock of its own', async () => {
      const leases = await Promise.all(NAMES.map((name) => here.lock(name).acquire({ waitMs: 5_000 })));
      for (const name of NAMES) expect(await there.lock(name).tryAcquire(), name).toBeUndefined();
      const waits = NAMES.map((name) => there.lock(name).acquire());
      await Promise.all(
        NAMES.map((n) => eventually(async () => expect((await here.inspect(n)).queueLength).toBe(1))),
      );
      expect(await Promise.all(leases.map((lease) => lease.release()))).toEqual(NAMES.map(() => 'released'));
      await Promise.all((await Promise.all(waits)).map((lease) => lease.release()));
    });

    it('instances with different prefixes never meet', async () => {
      const name = fresh('prefix');
      const [a, b] = [await another({ prefix: 'a' }), await another({ prefix: 'b' })];
      await using one = await a.lock(name).tryAcquire();
      await using two = await b.lock(name).tryAcquire();
      await using three = await here.lock(name).tryAcquire();
      expect([one, two, three].every((lease) => lease !== undefined)).toBe(true);
      await expect(a.lock(name).acquire({ waitMs: 0 })).rejects.toBeInstanceOf(AcquireTimeoutError);
    });

    it('close ends waits, aborts and releases what is held, and refuses more', async () => {
      const name = fresh('close');
      const one = await another();
      const lease = await one.lock(name).acquire();
      const { signal } = lease;
      const waiting = one
        .lock(name)
        .acquire()
        .catch((e: unknown) => e);
      await eventually(async () => expect((await here.inspect(name)).queueLength).toBe(1));
      await one.close();
      expect(await waiting).toBeInstanceOf(ClosedError);
      expect(signal.reason).toMatchObject({ reason: 'closed' });
      expect(await here.inspect(name)).toMatchObject({ state: 'free', queueLength: 0 });
      await expect(one.lock(name).acquire()).rejects.toBeInstanceOf(ClosedError);
    });

    it('close in the middle of an acquire leaves nothing held', async () => {
      const name = fresh('close-race');
      for (let i = 0; i < 10; i++) {
        const one = await another();
        const asked = one.lock(name).acquire();
        const closed = one.close();
        expect(await asked.catch((e: unknown) => e)).toBeInstanceOf(ClosedError);
        await closed;
        await eventually(async () => expect((await here.inspect(name)).state).toBe('free'));
      }
    });

    it('forceRelease by token ends that lease only, and hands on to the next waiter', async () => {
      const name = fresh('force');
      const first = await there.lock(name, { ttlMs: 60_000, renew: false }).acquire();
      const waiting = there.lock(name).acquire();
      await eventually(async () => expect((await here.inspect(name)).queueLength).toBe(1));
      const seen = await here.inspect(name);
      expect(seen.queue).toMatchObject([{ waiter: { pid: process.pid }, waitedMs: expect.any(Number) }]);
      expect(await here.lock(name).forceRelease(first.fencingToken + 1)).toBe('lost');
      expect((await here.inspect(name)).fencingToken).toBe(first.fencingToken);
      expect(await here.lock(name).forceRelease(seen.fencingToken)).toBe('handedOff');
      const second = await waiting;
      expect(second.fencingToken).toBeGreaterThan(first.fencingToken);
      expect(await here.lock(name).forceRelease(first.fencingToken)).toBe('lost');
      expect(await first.renew()).toBe('lost');
      expect(await second.release()).toBe('released');
      expect(await here.lock(name).forceRelease(second.fencingToken)).toBe('expired');
    });

    it('forceRelease without a token frees whoever holds it, and tells an event without a holderId', async () => {
      const name = fresh('force-any');
      const one = await another();
      const told: object[] = [];
      one.on('forceReleased', (event) => told.push(event));
      const lease = await there.lock(name, { renew: false }).acquire();
      expect(await one.lock(name).forceRelease()).toBe('released');
      expect(await here.inspect(name)).toMatchObject({ state: 'free', queue: [] });
      expect(await one.lock(name).forceRelease()).toBe('expired');
      expect(told).toEqual([
        { name, fencingToken: undefined, outcome: 'released' },
        { name, fencingToken: undefined, outcome: 'expired' },
      ]);
      expect(await lease.release()).toBe('lost');
    });

    it('events tell of everything with durations and without a holderId', async () => {
      const name = fresh('events');
      const one = await another();
      const seen: Record<string, object> = {};
      for (const event of ['acquired', 'waited', 'handedOff', 'renewed', 'released', 'lost'] as const) {
        one.on(event, (details) => (seen[event] = details));
      }
      const first = await one.lock(name, { ttlMs: 1_000 }).acquire();
      const waiting = one.lock(name, { ttlMs: 100, maxHoldMs: 250 }).acquire();
      await eventually(async () => expect((await here.inspect(name)).queueLength).toBe(1));
      await first.release();
      const second = await waiting;
      await aborted(second.signal);
      expect(Object.keys(seen).sort()).toEqual([
        'acquired',
        'handedOff',
        'lost',
        'released',
        'renewed',
        'waited',
      ]);
      expect(seen.acquired).toMatchObject({ name, handedOff: true, tookMs: expect.any(Number) });
      expect(seen.released).toMatchObject({ outcome: 'released', heldMs: expect.any(Number) });
      for (const secret of [first.holderId, second.holderId]) {
        expect(JSON.stringify(seen)).not.toContain(secret.slice(0, 26));
      }
    });
  });
}
