/** Mistakes that somebody makes once: each has to end soon, with an error that says what it is, and to leave nothing. */
import { type RedisProcess, startServer } from '@holdfast/testkit';
import { Holdfast } from 'holdfast';
import type { Violation } from '../check/violation.ts';
import { CLIENTS, type ClientKind } from '../place.ts';
import { connectTo } from '../worker/connect.ts';
import type { Outcome, Scenario } from './scenario.ts';

/** Of a call with the library's deadline of `TIMEOUT_MS`. */
const TIMEOUT_MS = 500;
const WITHIN_MS = TIMEOUT_MS + 250;
const TTL_MS = 200;
const COOLDOWN_MS = 300;

interface Probe {
  readonly fault: string;
  readonly expected: RegExp;
  readonly call: (client: ClientKind) => Promise<Seen>;
}

/** What the user gets, and after how long. */
interface Seen {
  readonly got: string;
  readonly ms: number;
}

async function asked(port: number, kind: ClientKind, name: string): Promise<Seen> {
  const { client, end } = await connectTo({ kind: 'single', ports: [port] }, kind);
  const holdfast = new Holdfast(client, { commandTimeoutMs: TIMEOUT_MS });
  const from = performance.now();
  const got = await holdfast
    .lock(name)
    .tryAcquire()
    .then(() => 'nothing', String);
  const ms = performance.now() - from;
  await holdfast.close();
  await end();
  return { got, ms };
}

function wrongType(server: RedisProcess): Probe {
  return {
    fault: 'a list where the lock should be',
    expected: /^WrongTypeError/,
    async call(client) {
      await server.command('RPUSH', `gauntlet:list:${client}`, 'x');
      return asked(server.port, client, `gauntlet:list:${client}`);
    },
  };
}

function plainToTls(server: RedisProcess): Probe {
  return {
    fault: 'a plain client on a TLS port',
    expected: /^ConnectionError/,
    call: (client) => asked(server.port, client, 'gauntlet:tls'),
  };
}

/** Its process stands still beyond its lease, meanwhile somebody else writes, and then it wants to write too. */
function lateGuard(server: RedisProcess): Probe {
  return {
    fault: 'a guarded write after the lease had ended',
    expected: /^LeaseLostError.*; the resource has on time$/,
    call: (client) =>
      withTwo(server, client, async (late, other) => {
        const [name, key] = [`gauntlet:guard:${client}`, `gauntlet:guarded:${client}`];
        const lease = await late.lock(name, { ttlMs: TTL_MS, renew: false }).acquire();
        const next = other.lock(name).acquire({ waitMs: 5 * TTL_MS });
        await (await next).guard([['SET', key, 'on time']]);
        const from = performance.now();
        const got = await lease.guard([['SET', key, 'too late']]).then(() => 'applied', String);
        const ms = performance.now() - from;
        return {
          got: `${got.replaceAll('\n', ' ')}; the resource has ${await server.command('GET', key)}`,
          ms,
        };
      }),
  };
}

/** Who died under a lock with a cooldown is followed after the cooldown, not before. */
function cooldown(server: RedisProcess): Probe {
  return {
    fault: 'a lease that expired under a cooldown',
    expected: /^after the cooldown$/,
    call: (client) =>
      withTwo(server, client, async (gone, next) => {
        const name = `gauntlet:cooldown:${client}`;
        const options = { ttlMs: TTL_MS, cooldownMs: COOLDOWN_MS };
        await gone.lock(name, { ...options, renew: false }).acquire();
        const from = performance.now();
        await next.lock(name, options).acquire({ waitMs: 10 * TTL_MS });
        const ms = performance.now() - from;
        const early = ms < TTL_MS + COOLDOWN_MS - 20;
        return {
          got: early ? `after ${ms} ms` : 'after the cooldown',
          ms: ms - TTL_MS - COOLDOWN_MS,
        };
      }),
  };
}

async function withTwo(
  server: RedisProcess,
  kind: ClientKind,
  what: (one: Holdfast, two: Holdfast) => Promise<Seen>,
): Promise<Seen> {
  const all = await Promise.all([1, 2].map(() => connectTo({ kind: 'single', ports: [server.port] }, kind)));
  const [one, two] = all.map(({ client }) => new Holdfast(client)) as [Holdfast, Holdfast];
  const seen = await what(one, two);
  await Promise.all([one.close(), two.close()]);
  await Promise.all(all.map(({ end }) => end()));
  return seen;
}

async function outcome({ call, fault, expected }: Probe, clients: readonly ClientKind[]): Promise<Outcome> {
  const violations: Violation[] = [];
  for (const client of clients) {
    const { got, ms } = await call(client);
    if (!expected.test(got)) violations.push({ check: 'C9', text: `${client}: ${fault}: ${got}` });
    if (ms > WITHIN_MS)
      violations.push({ check: 'C9', text: `${client}: ${fault}: after ${ms.toFixed(0)} ms` });
  }
  return {
    what: clients.join(', '),
    hits: [{ fault, hits: clients.length, wanted: clients.length }],
    acquisitions: 0,
    violations,
    explained: 0,
    largestHandOverMs: undefined,
    notes: [],
  };
}

export const probes: Scenario = {
  id: 'probes',
  what: 'a key of another type, a plain client on a TLS port, a guarded write that comes too late, a cooldown',
  onlyFull: true,
  async run() {
    await using server = await startServer();
    await using tls = await startServer({ tls: true });
    return [
      await outcome(wrongType(server), CLIENTS),
      await outcome(lateGuard(server), CLIENTS),
      await outcome(cooldown(server), CLIENTS),
      // node-redis does not get past its own `connect()`, and says so itself.
      await outcome(
        plainToTls(tls),
        CLIENTS.filter((one) => !one.startsWith('node')),
      ),
    ];
  },
};
