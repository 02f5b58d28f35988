/** `holdfast bench` and `holdfast lab`: programs of packages that may not be installed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { signalNumber } from './run/command.ts';
import { EXIT } from './say/exit.ts';
import { unavailable } from './say/failure.ts';

/** Runs it with our input and output; its exit code is ours. */
export async function handOver(verb: 'bench' | 'lab', args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [programOf(verb), ...args], { stdio: 'inherit' });
  const forward = (signal: NodeJS.Signals) => void child.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, forward);
  const [code, signal] = await once(child, 'exit');
  return typeof code === 'number' ? code : EXIT.signal + signalNumber(String(signal));
}

function programOf(verb: string): string {
  const name = `@holdfast/${verb}`;
  try {
    const require = createRequire(import.meta.url);
    return join(dirname(require.resolve(`${name}/package.json`)), 'dist/main.js');
  } catch {
    throw unavailable(`${name} is not installed; holdfast ${verb} hands over to it`);
  }
}
