import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchPackages, osRelease, unpackPackage } from './apt.ts';
import { oneAtATime } from './file-lock.ts';
import { isExecutable, onPath, type Tried, tryServer } from './server-binary.ts';

/** The git-ignored folder of private servers, seen from src/ and from dist/ alike. */
const SERVERS = fileURLToPath(new URL('../../../.servers/', import.meta.url));
const PATIENCE_MS = 180_000;

export type Unpacked = { root: string } | { why: string };

/** A set of packages that is unpacked together. */
interface Bundle {
  /** For the progress line. */
  readonly what: string;
  /** Its folder, after the suite's name. */
  readonly suffix: string;
  readonly packages: string[];
  /** Of all that apt fetches with them: not the system's tools that a package only wants for installing. */
  readonly wanted: RegExp;
}

const SERVERS_BUNDLE: Bundle = {
  what: 'a private Redis',
  suffix: '',
  packages: ['redis-server', 'valkey-server'],
  wanted: /^(redis-|valkey-|lib(?!pam)|zlib|openssl-provider)/,
};

const REDIS_PY_BUNDLE: Bundle = {
  what: 'a private Python with redis-py',
  suffix: '-redis-py',
  packages: ['python3-redis'],
  wanted: /^(python3|lib(?!pam)|zlib|media-types)/,
};

const POSTGRES_BUNDLE: Bundle = {
  what: 'a private PostgreSQL',
  suffix: '-postgres',
  packages: ['postgresql'],
  // Run by the machine's own loader, which wants its own C library. The compiler for queries is large and not needed.
  wanted: /^(postgresql-\d|lib(?!pam|c6|c-bin|llvm|clang|z3))/,
};

/**
 * Gets the servers of a Debian suite (`trixie`) with their own libraries into a private folder: about 10 s the first
 * time, nothing after that. Installs nothing and needs no root. A failure is told, not thrown.
 */
export function unpackSuite(suite: string): Promise<Unpacked> {
  return unpack(suite, SERVERS_BUNDLE);
}

async function unpack(suite: string, bundle: Bundle): Promise<Unpacked> {
  if (!/^[a-z][a-z-]*$/.test(suite)) return { why: `${JSON.stringify(suite)} is not the name of a suite` };
  const home = join(SERVERS, `${suite}-${process.arch}${bundle.suffix}`);
  if (isFinished(home)) return { root: join(home, 'root') };
  if (!onPath('apt-get') || !onPath('dpkg-deb'))
    return { why: 'this system has no apt-get to get a private copy with' };
  try {
    mkdirSync(SERVERS, { recursive: true });
    await oneAtATime(`${home}.lock`, PATIENCE_MS, () => unpackOnce(suite, bundle, home));
    return { root: join(home, 'root') };
  } catch (error) {
    return { why: `getting ${bundle.what} of ${suite} failed: ${shortReason(error)}` };
  }
}

function isFinished(home: string): boolean {
  return existsSync(join(home, 'finished'));
}

async function unpackOnce(suite: string, bundle: Bundle, home: string): Promise<void> {
  if (isFinished(home)) return;
  process.stderr.write(`getting ${bundle.what} from Debian's packages (about 15 s)…\n`);
  const draft = `${home}.${process.pid}`;
  try {
    await unpackInto(suite, bundle, draft);
    publish(draft, home);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

async function unpackInto(suite: string, bundle: Bundle, draft: string): Promise<void> {
  const root = join(draft, 'root');
  mkdirSync(root, { recursive: true });
  const files = await fetchPackages(suite, bundle.packages, join(draft, 'apt'));
  const wanted = files.filter((file) => bundle.wanted.test(basename(file)));
  for (const file of wanted) await unpackPackage(file, root);
  rmSync(join(draft, 'apt'), { recursive: true });
  writeFileSync(join(draft, 'finished'), `${wanted.map((file) => basename(file)).join('\n')}\n`);
}

/** One rename: another process sees a whole copy or none. Whoever comes second keeps the first one's. */
function publish(draft: string, home: string): void {
  if (!isFinished(home)) rmSync(home, { recursive: true, force: true });
  try {
    renameSync(draft, home);
  } catch (error) {
    if (!isFinished(home)) throw error;
  }
}

function shortReason(error: unknown): string {
  const { stderr, message } = error as Error & { stderr?: string };
  const lines = (stderr?.trim() || message).split('\n');
  return lines
    .filter((line) => !line.startsWith('W:'))
    .slice(-3)
    .join(' ');
}

/** The suite's server, started through the suite's own loader so that it meets the libraries it was built with. */
export async function suiteServer(suite: string, program: string): Promise<Tried> {
  const unpacked = await unpackSuite(suite);
  if ('why' in unpacked) return unpacked;
  const { root } = unpacked;
  const server = join(root, 'usr/bin', program);
  if (!isExecutable(server)) return { why: `${suite} has no ${program}` };
  const loader = loaderOf(root);
  if (!loader) return { why: `no dynamic loader among the libraries of ${suite}` };
  return tryServer({ command: loader.command, args: [...loader.args, server], loader: true });
}

/** How to start a Python that has redis-py, of the suite's own packages. */
export interface Python {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A private Python with redis-py, for machines that have none. Nothing is installed. */
export async function privateRedisPy(
  suite = osRelease().VERSION_CODENAME ?? '',
): Promise<Python | { why: string }> {
  const unpacked = await unpack(suite, REDIS_PY_BUNDLE);
  if ('why' in unpacked) return unpacked;
  const { root } = unpacked;
  const loader = loaderOf(root);
  const program = readdirSync(join(root, 'usr/bin')).find((name) => /^python3\.\d+$/.test(name));
  if (!loader || !program) return { why: `no Python among the packages of ${suite}` };
  const env = { PYTHONHOME: join(root, 'usr'), PYTHONPATH: join(root, 'usr/lib/python3/dist-packages') };
  return { command: loader.command, args: [...loader.args, join(root, 'usr/bin', program)], env };
}

/** PostgreSQL's programs, of this system's own packages, for machines that have none. Nothing is installed. */
export function privatePostgres(suite = osRelease().VERSION_CODENAME ?? ''): Promise<Unpacked> {
  return unpack(suite, POSTGRES_BUNDLE);
}

/** The programs of such a copy, wherever it stands, and the libraries that they need. */
export function postgresIn(
  root: string,
): { readonly bin: string; readonly libraries: string } | { why: string } {
  const versions = join(root, 'usr/lib/postgresql');
  const version = existsSync(versions) ? readdirSync(versions)[0] : undefined;
  if (!version) return { why: 'no PostgreSQL among the packages of this system' };
  return { bin: join(versions, version, 'bin'), libraries: libraryFolders(root).join(':') };
}

function loaderOf(root: string): { command: string; args: string[] } | undefined {
  const folders = libraryFolders(root);
  const command = folders.flatMap(loadersIn)[0];
  return command ? { command, args: ['--library-path', folders.join(':')] } : undefined;
}

function libraryFolders(root: string): string[] {
  const parents = [join(root, 'usr/lib'), join(root, 'lib')].filter(existsSync);
  return parents.flatMap((parent) =>
    readdirSync(parent)
      .filter((name) => name.includes('-linux-gnu'))
      .map((name) => join(parent, name)),
  );
}

function loadersIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => /^ld(-linux.*|64)\.so\.\d+$/.test(name))
    .map((name) => join(folder, name));
}
