/** A PostgreSQL of its own folder and port, for programs that keep their data there. */
import { execFile, spawn } from 'node:child_process';
import { chownSync, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { postgresIn, privatePostgres } from './debian-suite.ts';
import { type Command, dyingWithParent, exitOf, removeFolder, track, trackFolder } from './processes.ts';
import { onPath } from './server-binary.ts';
import { eventually, freePort } from './wait.ts';

const run = promisify(execFile);
const INSTALLED = '/usr/lib/postgresql';
/** `nobody`: PostgreSQL refuses to run as root. */
const NOBODY = 65_534;
const START_MS = 20_000;

interface Programs {
  readonly bin: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface Postgres {
  /** `postgres://…`, of a superuser without a password. */
  readonly url: string;
  shutdown(): Promise<void>;
}

/** The machine's own, else a private copy; `why` there is none. */
export async function startPostgres(): Promise<Postgres | { why: string }> {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-postgres-'));
  trackFolder(dir);
  if (isRoot()) chownSync(dir, NOBODY, NOBODY);
  const started = await startedIn(dir).catch((error: Error) => ({
    why: `PostgreSQL could not be started: ${error.message}`,
  }));
  if ('why' in started) removeFolder(dir);
  return started;
}

async function startedIn(dir: string): Promise<Postgres | { why: string }> {
  const programs = await findPrograms(dir);
  return 'why' in programs ? programs : await startIn(dir, programs);
}

async function startIn(dir: string, { bin, env }: Programs): Promise<Postgres> {
  const options = { cwd: dir, env: { ...env, LC_ALL: 'C' } };
  const data = join(dir, 'data');
  const init = asNobody(join(bin, 'initdb'), [
    '-D',
    data,
    '-U',
    'kit',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--no-sync',
  ]);
  await run(init.command, init.args, options);
  const port = await freePort();
  const settings = [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    `unix_socket_directories=${dir}`,
    'fsync=off',
  ];
  // The kernel forgets the tie to the parent when the user changes, so that comes first.
  const own = dyingWithParent({
    command: join(bin, 'postgres'),
    args: ['-D', data, ...settings.flatMap((one) => ['-c', one])],
  });
  const { command, args } = asNobody(own.command, own.args);
  const child = spawn(command, args, { ...options, stdio: 'ignore' });
  track(child);
  const exited = exitOf(child);
  await eventually(() => isReady(data), { withinMs: START_MS, what: 'PostgreSQL answers' });
  return {
    url: `postgres://kit@127.0.0.1:${port}/postgres`,
    async shutdown() {
      child.kill('SIGINT'); // a fast shutdown: it does not wait for clients
      await exited;
      removeFolder(dir);
    },
  };
}

/** The eighth line of its own file. */
function isReady(data: string): boolean {
  const file = join(data, 'postmaster.pid');
  return existsSync(file) && readFileSync(file, 'utf8').split('\n')[7]?.trim() === 'ready';
}

async function findPrograms(dir: string): Promise<Programs | { why: string }> {
  const versions = existsSync(INSTALLED) ? readdirSync(INSTALLED) : [];
  const installed = versions
    .map((version) => join(INSTALLED, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'initdb')));
  if (installed) return { bin: installed, env: process.env };
  const unpacked = await privatePostgres();
  if ('why' in unpacked) return unpacked;
  const found = postgresIn(isRoot() ? forNobody(unpacked.root, dir) : unpacked.root);
  if ('why' in found) return found;
  return { bin: found.bin, env: { ...process.env, LD_LIBRARY_PATH: found.libraries } };
}

/** A checkout need not be open to everybody: a copy of the programs in a folder that is. */
function forNobody(root: string, dir: string): string {
  const copy = join(dir, 'programs');
  cpSync(root, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

const isRoot = () => process.getuid?.() === 0;

function asNobody(command: string, args: readonly string[]): Command {
  const setpriv = onPath('setpriv');
  if (!isRoot() || !setpriv) return { command, args: [...args] };
  const user = ['--reuid', String(NOBODY), '--regid', String(NOBODY), '--clear-groups'];
  return { command: setpriv, args: [...user, '--', command, ...args] };
}
