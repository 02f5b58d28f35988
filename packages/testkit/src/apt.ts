/*
 * Debian's own package tools, told to keep everything they know and fetch in one private folder: nothing is installed,
 * no root is needed, and the machine's package state is neither read nor changed. The machine's settings for proxies
 * and the like still count.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const OPTIONS = { timeout: 180_000, maxBuffer: 64 << 20, env: { ...process.env, LC_ALL: 'C' } };

/** The fields of /etc/os-release, or nothing where there is no such file. */
export function osRelease(): Record<string, string> {
  if (!existsSync('/etc/os-release')) return {};
  const lines = readFileSync('/etc/os-release', 'utf8').matchAll(/^(\w+)="?([^"\n]*)"?$/gm);
  return Object.fromEntries([...lines].map(([, key, value]) => [key, value]));
}

async function output(command: string, ...args: string[]): Promise<string> {
  const { stdout } = await run(command, args, OPTIONS);
  return stdout.trim();
}

interface Source {
  release: string;
  uri: string;
}

/** What apt has fetched the lists of. Others than the system's publisher have suites of the same names. */
async function listedSources(publisher: string): Promise<Source[]> {
  const format = '$(ORIGIN)|$(COMPONENT)|$(RELEASE)|$(REPO_URI)';
  const listed = await output('apt-get', 'indextargets', '--format', format, 'Created-By: Packages');
  return listed.split('\n').flatMap((line) => {
    const [origin, component, release, uri] = line.split('|');
    return origin?.toLowerCase() === publisher && component === 'main' && release && uri
      ? [{ release, uri }]
      : [];
  });
}

/** What apt would fetch: container images come without any lists. It wants a folder for lists even to say so. */
async function configuredSources(folder: string): Promise<Source[]> {
  const own = ['-o', `Dir::State::lists=${folder}/state/lists`, '-o', 'Debug::NoLocking=true'];
  const listed = await output('apt-get', ...own, '--print-uris', 'update');
  const found = listed.matchAll(/^'(\S+)\/dists\/([^/\s]+)\/InRelease'/gm);
  return [...found].map(([, uri = '', release = '']) => ({ uri, release }));
}

/** Where this machine gets its main packages from. */
async function mirror(publisher: string, codename: string, folder: string): Promise<string> {
  const listed = await listedSources(publisher);
  const sources = listed.length > 0 ? listed : await configuredSources(folder);
  const main = sources.find(({ release }) => release === codename);
  const other = sources.find(({ release }) => !/security|updates|backports/.test(release));
  const source = main ?? other;
  if (!source) throw new Error('apt has no package source for this system');
  return source.uri;
}

async function sourceLine(suite: string, folder: string): Promise<string> {
  const { ID = 'debian', VERSION_CODENAME = suite } = osRelease();
  const keyring = `/usr/share/keyrings/${ID}-archive-keyring.gpg`;
  const signed = existsSync(keyring) ? ` signed-by=${keyring}` : '';
  const components = ID === 'ubuntu' ? 'main universe' : 'main';
  const uri = await mirror(ID, VERSION_CODENAME, folder);
  const arch = await output('dpkg', '--print-architecture');
  return `deb [arch=${arch}${signed}] ${uri} ${suite} ${components}\n`;
}

/** The empty status file makes apt fetch every library, the C library too, as if nothing were installed. */
function aptConfig(folder: string): string {
  const asRoot = process.getuid?.() === 0 ? 'APT::Sandbox::User "root";' : '';
  return `Dir::State "${folder}/state";
Dir::State::lists "${folder}/state/lists";
Dir::State::status "${folder}/state/status";
Dir::Cache "${folder}/cache";
Dir::Cache::archives "${folder}/cache/archives";
Dir::Etc::sourcelist "${folder}/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
APT::Install-Recommends "false";
Acquire::Languages "none";
APT::Update::Error-Mode "any";
Debug::NoLocking "true";
${asRoot}
#clear APT::Default-Release;
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Pre-Invoke;
#clear DPkg::Post-Invoke;
`;
}

async function prepare(suite: string, folder: string): Promise<string> {
  for (const part of ['state/lists/partial', 'cache/archives/partial'])
    mkdirSync(join(folder, part), { recursive: true });
  writeFileSync(join(folder, 'state/status'), '');
  writeFileSync(join(folder, 'sources.list'), await sourceLine(suite, folder));
  const config = join(folder, 'apt.conf');
  writeFileSync(config, aptConfig(folder));
  return config;
}

async function isPackaged(config: string, name: string): Promise<boolean> {
  return output('apt-cache', '-c', config, 'show', name).then(
    (text) => text !== '',
    () => false,
  );
}

/** Fetches those of the packages the suite has, with all they need, and gives the package files' paths. */
export async function fetchPackages(suite: string, names: string[], folder: string): Promise<string[]> {
  const config = await prepare(suite, folder);
  await output('apt-get', '-c', config, '-q', 'update');
  const known: string[] = [];
  for (const name of names) if (await isPackaged(config, name)) known.push(name);
  if (known.length === 0) throw new Error(`${suite} has no ${names.join(' or ')}`);
  await output('apt-get', '-c', config, '-q', '-y', '--download-only', 'install', ...known);
  const archives = join(folder, 'cache/archives');
  return readdirSync(archives)
    .filter((file) => file.endsWith('.deb'))
    .map((file) => join(archives, file));
}

export async function unpackPackage(file: string, folder: string): Promise<void> {
  await output('dpkg-deb', '-x', file, folder);
}
