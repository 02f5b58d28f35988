/** What the figures were measured on and with. No names of hosts, no paths. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { findServer } from '@holdfast/testkit';
import { contenders } from './rivals/index.ts';

export interface Machine {
  readonly cores: number;
  readonly cpu: string;
  readonly memoryGb: number;
  readonly os: string;
  readonly node: string;
  readonly server: string;
  /** By package. */
  readonly versions: Readonly<Record<string, string>>;
}

const require = createRequire(import.meta.url);

export async function machine(): Promise<Machine> {
  const rivals = contenders.flatMap((one) => (one.package ? [one.package] : []));
  const names = [...new Set(['ioredis', 'ioredis6', 'redis', ...rivals])];
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model.trim() || 'unknown',
    memoryGb: Math.round(totalmem() / 2 ** 30),
    os: osName(),
    node: process.version,
    server: (await findServer())?.label ?? 'unknown',
    versions: Object.fromEntries(names.map((name) => [name, versionOf(name)])),
  };
}

/** How many programs wanted a processor in the last minute. */
export const loadNow = (): number => Number((loadavg()[0] ?? 0).toFixed(2));

function osName(): string {
  try {
    return /^PRETTY_NAME="?([^"\n]*)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? process.platform;
  } catch {
    return process.platform;
  }
}

/** Not every package lets its package.json be asked for: it is looked for above the entry. */
function versionOf(name: string): string {
  for (let folder = dirname(require.resolve(name)); folder !== dirname(folder); folder = dirname(folder)) {
    const found = versionIn(join(folder, 'package.json'));
    if (found !== undefined) return found;
  }
  return 'unknown';
}

/** Folders below the package's may have a package.json with nothing but a type. */
function versionIn(file: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { version?: string }).version?.replace(/^v/, '');
  } catch {
    return undefined;
  }
}
