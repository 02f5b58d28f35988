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
  what: 'a key of another type, a plain client on a TLS port',
  onlyFull: true,
  async run() {
    await using server = await startServer();
    await using tls = await startServer({ tls: true });
    return [
      await outcome(wrongType(server), CLIENTS),
      // node-redis does not get past its own `connect()`, and says so itself.
      await outcome(
        plainToTls(tls),
        CLIENTS.filter((one) => !one.startsWith('node')),
      ),
    ];
  },
};
