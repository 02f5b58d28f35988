/*
 * Which servers there are to test against. HOLDFAST_TEST_SERVERS adds to the machine's own, separated by commas:
 * paths of server programs, or trixie-redis, trixie-valkey, forky-redis, forky-valkey for private copies from Debian,
 * or `all` for every newer server known to differ. `none` pretends that there is no server at all.
 */
import { osRelease } from './apt.ts';
import { suiteServer } from './debian-suite.ts';
import { onPath, type ServerBinary, type Tried, tryServer } from './server-binary.ts';

const PROGRAMS = ['redis-server', 'valkey-server'];
const NEWER = ['trixie-redis', 'trixie-valkey', 'forky-valkey'];

export interface ServerList {
  servers: ServerBinary[];
  missing: { what: string; why: string }[];
}

let own: Promise<Tried> | undefined;

/** The machine's own server, else a private copy from its package sources; with the reason if there is neither. */
export async function tryFindServer(): Promise<Tried> {
  if (wishes().includes('none')) return { why: 'HOLDFAST_TEST_SERVERS is none' };
  own ??= searchOwn();
  const found = await own;
  if ('why' in found) own = undefined;
  return found;
}

/** As `tryFindServer`, without the reason. */
export async function findServer(): Promise<ServerBinary | undefined> {
  const found = await tryFindServer();
  return 'server' in found ? found.server : undefined;
}

async function searchOwn(): Promise<Tried> {
  for (const program of PROGRAMS) {
    const command = onPath(program);
    const tried = command && (await tryServer({ command }));
    if (tried && 'server' in tried) return tried;
  }
  const suite = osRelease().VERSION_CODENAME;
  if (!suite) return { why: 'no redis-server or valkey-server on PATH, and this is not a Debian system' };
  return firstOf(suite);
}

async function firstOf(suite: string): Promise<Tried> {
  const redis = await suiteServer(suite, 'redis-server');
  if ('server' in redis) return redis;
  const valkey = await suiteServer(suite, 'valkey-server');
  return 'server' in valkey ? valkey : redis;
}

/** Debian's newer servers (Redis 8.0, Valkey 8.1, Valkey 9.1), as far as they can be had. */
export function newerServers(): Promise<ServerList> {
  return gather(NEWER);
}

/** The machine's own server and those that HOLDFAST_TEST_SERVERS asks for, each tried. */
export async function listServers(): Promise<ServerList> {
  const asked = wishes();
  if (asked.includes('none')) return { servers: [], missing: [] };
  return gather(['own', ...asked.flatMap((word) => (word === 'all' ? NEWER : [word]))]);
}

function wishes(): string[] {
  const words = (process.env.HOLDFAST_TEST_SERVERS ?? '').split(',');
  return words.map((word) => word.trim()).filter(Boolean);
}

/** One after the other: the private copies of one suite share one unpacking. */
async function gather(words: string[]): Promise<ServerList> {
  const list: ServerList = { servers: [], missing: [] };
  for (const what of new Set(words)) {
    const tried = await tryWord(what);
    if ('server' in tried) list.servers.push(tried.server);
    else list.missing.push({ what, why: tried.why });
  }
  return list;
}

function tryWord(word: string): Promise<Tried> {
  if (word === 'own') return tryFindServer();
  const [, suite, kind] = /^([a-z]+)-(redis|valkey)$/.exec(word) ?? [];
  return suite ? suiteServer(suite, `${kind}-server`) : tryServer({ command: word });
}
