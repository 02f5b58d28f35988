/** Where the server is, read from a URL. Nothing is opened here. */
import { usage } from '../say/failure.ts';
import { keepSecret, redact } from '../say/redact.ts';

interface Address {
  readonly host: string;
  readonly port: number;
}

interface Login {
  readonly username: string | undefined;
  readonly password: string | undefined;
}

export interface Place extends Login {
  readonly kind: 'server' | 'socket' | 'sentinel' | 'cluster';
  /** For people: without password. */
  readonly shown: string;
  readonly tls: boolean;
  readonly addresses: readonly Address[];
  readonly db: number;
  /** Of a socket. */
  readonly path: string | undefined;
  /** What the Sentinels call it. */
  readonly master: string | undefined;
}

const URL_FORMS =
  'redis://[USER:PASSWORD@]HOST[:PORT][/DB], rediss://… (TLS), unix:///PATH[?db=N], redis-sentinel://HOST:PORT,HOST:PORT/MASTER[/DB], redis-cluster://HOST:PORT,HOST:PORT (rediss-sentinel, rediss-cluster: TLS)';

const SCHEME = /^(rediss?|unix|redis\+unix|rediss?-sentinel|rediss?-cluster):\/\/(.*)$/s;

/** @throws Failure that names the forms there are, and never shows a password */
export function parsePlace(url: string): Place {
  const [, scheme, rest = ''] = SCHEME.exec(url.startsWith('/') ? `unix://${url}` : url) ?? [];
  if (scheme === undefined) throw wrong(url, 'it has none of the known forms');
  const at = rest.lastIndexOf('@');
  const login = at < 0 ? NOBODY : parseLogin(rest.slice(0, at), url);
  const where = rest.slice(at + 1);
  if (/[?&]password=/i.test(where)) throw wrong(url, 'a password stands before an @');
  const common = { ...login, shown: `${scheme}://${where}`, tls: scheme.startsWith('rediss') };
  if (scheme.endsWith('unix')) return socket(common, where, url);
  const [hosts = '', ...path] = (where.split('?')[0] ?? '').split('/');
  const isSentinel = scheme.endsWith('sentinel');
  const addresses = hosts.split(',').map((one) => parseAddress(one, isSentinel ? 26_379 : 6_379, url));
  const base = { ...common, addresses, path: undefined, master: undefined };
  if (scheme.endsWith('cluster')) return { ...base, kind: 'cluster', db: 0 };
  if (addresses.length > 1 && !isSentinel)
    throw wrong(url, 'several hosts belong to redis-sentinel:// or redis-cluster://, or use --quorum');
  if (!isSentinel) return { ...base, kind: 'server', db: parseDb(path[0], url) };
  const master = decodeURIComponent(path[0] ?? '');
  if (master === '')
    throw wrong(url, 'the name of the master is missing, as in redis-sentinel://HOST:PORT/MASTER');
  return { ...base, kind: 'sentinel', master, db: parseDb(path[1], url) };
}

/** Several places with commas between them; one of them may have commas of its own. */
export function splitUrls(list: string): string[] {
  return list.split(/,(?=[a-z][a-z+-]*:\/\/|\/)/).map((one) => one.trim());
}

const NOBODY: Login = { username: undefined, password: undefined };

function parseLogin(text: string, url: string): Login {
  const colon = text.indexOf(':');
  const [user, secret] = colon < 0 ? [text, undefined] : [text.slice(0, colon), text.slice(colon + 1)];
  keepSecret(secret);
  const password = secret && decoded(secret, url);
  keepSecret(password);
  return { username: decoded(user, url) || undefined, password: password || undefined };
}

function decoded(text: string, url: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw wrong(url, 'a % in user or password has to be written as %25');
  }
}

function socket(common: Login & { shown: string; tls: boolean }, where: string, url: string): Place {
  const [path = '', query = ''] = where.split('?');
  if (!path.startsWith('/')) throw wrong(url, 'the path of a socket starts with /');
  const db = parseDb(new URLSearchParams(query).get('db') ?? undefined, url);
  return { ...common, kind: 'socket', path: decoded(path, url), addresses: [], db, master: undefined };
}

function parseAddress(text: string, defaultPort: number, url: string): Address {
  const [, host, port] = /^(\[[\da-fA-F:.]+\]|[^:[\]\s]+)(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (host === undefined) throw wrong(url, 'a host is missing');
  const number = Number(port ?? defaultPort);
  if (number < 1 || number > 65_535) throw wrong(url, 'a port is a number from 1 to 65535');
  return { host: host.replace(/^\[|\]$/g, ''), port: number };
}

function parseDb(text: string | undefined, url: string): number {
  if (text === undefined || text === '') return 0;
  if (!/^\d{1,5}$/.test(text)) throw wrong(url, 'a database is a number');
  return Number(text);
}

/** Without whatever stands before an `@`: of an address that cannot be read nobody knows what is the password. */
function wrong(url: string, why: string) {
  const at = url.lastIndexOf('@');
  const shown = at < 0 ? redact(url) : `${/^\w[\w+-]*:\/\//.exec(url)?.[0] ?? ''}***${redact(url.slice(at))}`;
  return usage(`${shown || '""'} is no address of a server: ${why}; write ${URL_FORMS}`);
}
