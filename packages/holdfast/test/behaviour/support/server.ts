/** What tests read off a server. */
import { eventually, type RedisProcess } from '../../../../testkit/src/index.ts';

let names = 0;
/** A lock's name that no other test of the file uses. */
export const freshName = (what = 'lock') => `${what}:${++names}`;

const queueKey = (name: string) => `holdfast:{${name}}:queue:`;

export function queued(server: RedisProcess, name: string, count: number): Promise<unknown> {
  return eventually(async () => (await server.command('ZCARD', queueKey(name))) === count, {
    what: `${count} in the queue of ${name}`,
    withinMs: 15_000,
    everyMs: 2,
  });
}

export async function allKeys(server: RedisProcess): Promise<string[]> {
  const keys: string[] = [];
  let cursor = '0';
  do {
    const [next, page] = (await server.command('SCAN', cursor, 'COUNT', 1000)) as [string, string[]];
    keys.push(...page.map(String));
    cursor = String(next);
  } while (cursor !== '0');
  return keys.sort();
}

/** How often each command ran, inside scripts too; without what the kit itself asks. */
export async function commandCounts(server: RedisProcess): Promise<Map<string, number>> {
  const stats = String(await server.command('INFO', 'commandstats'));
  const lines = stats.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm);
  return new Map([...lines].map(([, name = '', calls]) => [name, Number(calls)]));
}

/** How many calls of these commands `work` makes the server see. */
export async function callsDuring(
  server: RedisProcess,
  commands: readonly string[],
  work: () => Promise<unknown>,
): Promise<number> {
  const count = async () => {
    const counts = await commandCounts(server);
    return commands.reduce((sum, name) => sum + (counts.get(name) ?? 0), 0);
  };
  const before = await count();
  await work();
  return (await count()) - before;
}
