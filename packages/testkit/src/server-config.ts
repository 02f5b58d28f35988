import type { ServerBinary } from './server-binary.ts';
import type { Certificate } from './tls-cert.ts';

export interface ServerOptions {
  /** Default: what `findServer()` finds. */
  binary?: ServerBinary;
  /** Default: a free one. */
  port?: number;
  /** Listen on a unix socket too; its path is `server.socketPath`. */
  unixSocket?: boolean;
  /** The default user's password. */
  password?: string;
  /** TLS only, with a fresh self-signed certificate: `server.tls`. */
  tls?: boolean;
  /** Users, as in a configuration file: `user alice on >secret ~* &* +@all`. The kit then has a user of its own. */
  aclLines?: string[];
  /** Keep an append-only file, fsynced at each write, so that a killed server forgets nothing. Default false. */
  appendonly?: boolean;
  /** Further lines of the configuration file. */
  lines?: string[];
  /** Further arguments, which win over the file: `['--maxmemory', '8mb']`. */
  args?: string[];
  /** Preload the clock shim, for `server.shiftClock`. Where it cannot be made, the start is refused. */
  clockShift?: boolean;
  /** Run as a Sentinel. */
  sentinel?: boolean;
}

/** For the servers of a Sentinel group or a cluster: each has its own port, and they talk to each other in the clear. */
export type GroupServerOptions = Omit<ServerOptions, 'port' | 'tls' | 'sentinel'>;

export interface Place {
  port: number;
  dir: string;
  socketPath?: string;
  tls?: Certificate;
  /** The kit's own user, there if `aclLines` are. */
  admin?: Login;
}

interface Login {
  username?: string;
  password: string;
}

/** The configuration file. It is written once: a server may rewrite it, and a restart shall find it rewritten. */
export function configFile(options: ServerOptions, place: Place): string {
  const { dir } = place;
  const common = ['bind 127.0.0.1', 'daemonize no', `dir ${dir}`, ...listening(place)];
  const role = options.sentinel ? [] : persistence(options);
  return [...common, ...role, ...access(options, place), ...(options.lines ?? []), ''].join('\n');
}

function listening({ port, socketPath, tls }: Place): string[] {
  const socket = socketPath ? [`unixsocket ${socketPath}`] : [];
  if (!tls) return [`port ${port}`, ...socket];
  const files = [
    `tls-cert-file ${tls.certFile}`,
    `tls-key-file ${tls.keyFile}`,
    `tls-ca-cert-file ${tls.certFile}`,
  ];
  return ['port 0', `tls-port ${port}`, ...files, 'tls-auth-clients no', ...socket];
}

function persistence({ appendonly = false }: ServerOptions): string[] {
  return [
    'save ""',
    `appendonly ${appendonly ? 'yes' : 'no'}`,
    'appendfsync always',
    'repl-diskless-sync-delay 0',
  ];
}

function access({ password, aclLines = [] }: ServerOptions, { admin }: Place): string[] {
  const own = admin ? [`user ${admin.username} on >${admin.password} ~* &* +@all`] : [];
  return [...(password === undefined ? [] : [`requirepass ${quoted(password)}`]), ...aclLines, ...own];
}

/** As one word of a configuration file, whatever is in it. */
export const quoted = (text: string): string => JSON.stringify(text);
