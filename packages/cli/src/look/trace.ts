/**
 * The trace of releases by force: a stream on the server, so that whoever asks "who took my lock?" finds an answer. The last 1,000, for 30
 * days. Over a quorum each node has it.
 */
import { hostname, userInfo } from 'node:os';
import type { ForceReleaseOutcome } from 'holdfast';
import type { Session } from '../connect/session.ts';

export interface Trace {
  /** By the server's clock, ISO 8601. */
  readonly at: string;
  readonly name: string;
  readonly outcome: ForceReleaseOutcome;
  readonly holder: string | undefined;
  readonly fencingToken: number | undefined;
  /** `user@host, pid 123` */
  readonly by: string;
}

const MAX_KEPT = '1000';
const KEPT_MS = String(30 * 86_400_000);
/** So many of the last ones are looked through for a name. */
const LOOKED = 200;

function traceKey(prefix: string): string {
  return `${prefix}holdfast:trace`;
}

/** Resolves with the number of servers that have it. */
export async function leaveTrace(
  { connections, prefix }: Session,
  { name, outcome, holder, fencingToken }: Omit<Trace, 'at' | 'by'>,
): Promise<number> {
  const by = `${userName()}@${hostname()}, pid ${process.pid}`;
  const told = {
    event: 'forceReleased',
    name,
    outcome,
    holder: holder ?? '',
    token: String(fencingToken ?? ''),
    by,
  };
  const key = traceKey(prefix);
  const left = await Promise.allSettled(
    connections.map(async ({ client }) => {
      await client.xadd(key, 'MAXLEN', '~', MAX_KEPT, '*', ...Object.entries(told).flat());
      await client.pexpire(key, KEPT_MS);
    }),
  );
  return left.filter(({ status }) => status === 'fulfilled').length;
}

/** The last ten of that name, the latest first. A courtesy: where it cannot be read there are none. */
export async function readTrace({ connections, prefix }: Session, name: string): Promise<Trace[]> {
  for (const { client } of connections) {
    const found = await client.xrevrange(traceKey(prefix), '+', '-', 'COUNT', LOOKED).catch(() => []);
    const all = found.map(parsed).filter((one) => one.name === name);
    if (all.length > 0) return all.slice(0, 10);
  }
  return [];
}

function parsed([id, fields]: [string, string[]]): Trace {
  const told: Record<string, string> = {};
  for (let i = 0; i + 1 < fields.length; i += 2) told[fields[i] ?? ''] = fields[i + 1] ?? '';
  return {
    at: new Date(Number(id.split('-')[0])).toISOString(),
    name: told.name ?? '',
    outcome: (told.outcome ?? 'released') as ForceReleaseOutcome,
    holder: told.holder || undefined,
    fencingToken: told.token ? Number(told.token) : undefined,
    by: told.by ?? '?',
  };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return '?';
  }
}
