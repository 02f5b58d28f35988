/** What the server says of itself: its own time, its processor's time, bytes. */
import type { RedisProcess } from '@holdfast/testkit';

export interface ServerUse {
  readonly cpuUs: number;
  /** In and out. */
  readonly bytes: number;
}

/** Of several servers together, since they were started. */
export async function serverUse(servers: readonly RedisProcess[]): Promise<ServerUse> {
  const infos = await Promise.all(servers.map(async (server) => String(await server.command('INFO'))));
  const sum = (...names: string[]) =>
    infos.reduce((all, info) => all + names.reduce((of, name) => of + field(info, name), 0), 0);
  return {
    cpuUs: sum('used_cpu_user', 'used_cpu_sys') * 1e6,
    bytes: sum('total_net_input_bytes', 'total_net_output_bytes'),
  };
}

export const spent = (from: ServerUse, to: ServerUse): ServerUse => ({
  cpuUs: to.cpuUs - from.cpuUs,
  bytes: to.bytes - from.bytes,
});

function field(info: string, name: string): number {
  return Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1] ?? 0);
}

export const resetStats = (server: RedisProcess) => server.command('CONFIG', 'RESETSTAT');

/** The time of these commands since `resetStats`, in µs. @param shares how much of each command's time to count */
export async function commandUs(
  server: RedisProcess,
  shares: Readonly<Record<string, number>>,
): Promise<number> {
  const info = String(await server.command('INFO', 'commandstats'));
  const usOf = (name: string) =>
    Number(new RegExp(`cmdstat_${name}:calls=\\d+,usec=(\\d+)`).exec(info)?.[1] ?? 0);
  return Object.entries(shares).reduce((sum, [name, share]) => sum + usOf(name) * share, 0);
}
