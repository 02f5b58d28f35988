import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchPackages, unpackPackage } from './apt.ts';
import { oneAtATime } from './file-lock.ts';
import { isExecutable, onPath, type Tried, tryServer } from './server-binary.ts';

/** The git-ignored folder of private servers, seen from src/ and from dist/ alike. */
const SERVERS = fileURLToPath(new URL('../../../.servers/', import.meta.url));
const PATIENCE_MS = 180_000;

/** The server and what it links to; not the system's tools that its package only wants for installing. */
const WANTED = /^(redis-|valkey-|lib(?!pam)|zlib|openssl-provider)/;

export type Unpacked = { root: string } | { why: string };

/**
 * Gets the servers of a Debian suite (`trixie`) with their own libraries into a private folder: about 10 s the first
 * time, nothing after that. Installs nothing and needs no root. A failure is told, not thrown.
 */
export async function unpackSuite(suite: string): Promise<Unpacked> {
  if (!/^[a-z][a-z-]*$/.test(suite)) return { why: `${JSON.stringify(suite)} is not the name of a suite` };
  const home = join(SERVERS, `${suite}-${process.arch}`);
  if (isFinished(home)) return { root: join(home, 'root') };
  if (!onPath('apt-get') || !onPath('dpkg-deb'))
    return { why: 'this system has no apt-get to get a private copy with' };
  try {
    mkdirSync(SERVERS, { recursive: true });
    await oneAtATime(`${home}.lock`, PATIENCE_MS, () => unpackOnce(suite, home));
    return { root: join(home, 'root') };
  } catch (error) {
    return { why: `getting ${suite} failed: ${shortReason(error)}` };
  }
}

function isFinished(home: string): boolean {
  return existsSync(join(home, 'finished'));
}

async function unpackOnce(suite: string, home: string): Promise<void> {
  if (isFinished(home)) return;
  process.stderr.write("getting a private Redis from Debian's packages (about 15 s)…\n");
  const draft = `${home}.${process.pid}`;
  try {
    await unpackInto(suite, draft);
    publish(draft, home);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

async function unpackInto(suite: string, draft: string): Promise<void> {
  const root = join(draft, 'root');
  mkdirSync(root, { recursive: true });
  const files = await fetchPackages(suite, ['redis-server', 'valkey-server'], join(draft, 'apt'));
  const wanted = files.filter((file) => WANTED.test(basename(file)));
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
  const folders = libraryFolders(root);
  const loader = folders.flatMap(loadersIn)[0];
  if (!loader) return { why: `no dynamic loader among the libraries of ${suite}` };
  return tryServer({ command: loader, args: ['--library-path', folders.join(':'), server], loader: true });
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
