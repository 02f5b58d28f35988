import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClockShift, makeClockShift } from './clock-shift.ts';
import { removeFolder, trackFolder } from './processes.ts';
import { RedisProcess } from './redis-process.ts';
import type { ServerBinary } from './server-binary.ts';
import { configFile, type Place, type ServerOptions } from './server-config.ts';
import { PortTakenError } from './server-launch.ts';
import { tryFindServer } from './servers.ts';
import { makeCertificate } from './tls-cert.ts';
import { freePort } from './wait.ts';

const ATTEMPTS = 5;

/**
 * Starts a real server on 127.0.0.1 and resolves when it answers PING. By default it persists nothing. Rejects with the
 * end of the server's log if it does not come up, and with the reason if there is no server to start.
 */
export async function startServer(options: ServerOptions = {}): Promise<RedisProcess> {
  const binary = options.binary ?? (await foundServer());
  for (let attempt = 1; ; attempt++) {
    const server = await prepare(binary, options);
    try {
      await server.start();
      return server;
    } catch (error) {
      await server.shutdown();
      if (!(error instanceof PortTakenError) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** Starts several at once, all or none. */
export async function startServers(count: number, options: ServerOptions): Promise<RedisProcess[]> {
  const started = await Promise.allSettled(Array.from({ length: count }, () => startServer(options)));
  const servers = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = started.find((one) => one.status === 'rejected');
  if (!failed) return servers;
  await Promise.all(servers.map((server) => server.shutdown()));
  throw failed.reason;
}

async function foundServer(): Promise<ServerBinary> {
  const found = await tryFindServer();
  if ('why' in found) throw new Error(`no Redis or Valkey server to start: ${found.why}`);
  return found.server;
}

async function prepare(binary: ServerBinary, options: ServerOptions): Promise<RedisProcess> {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-'));
  trackFolder(dir);
  try {
    const place = await settle(options, dir);
    writeFileSync(join(dir, 'server.conf'), configFile(options, place));
    return new RedisProcess(binary, options, place, options.clockShift ? await clockFor(dir) : undefined);
  } catch (error) {
    removeFolder(dir);
    throw error;
  }
}

async function settle(options: ServerOptions, dir: string): Promise<Place> {
  const admin = { username: 'testkit', password: randomBytes(12).toString('hex') };
  return {
    dir,
    port: options.port ?? (await freePort()),
    ...(options.unixSocket && { socketPath: join(dir, 'server.sock') }),
    ...(options.tls && { tls: await makeCertificate(dir) }),
    ...(options.aclLines && { admin }),
  };
}

async function clockFor(dir: string): Promise<ClockShift> {
  const clock = await makeClockShift(dir);
  if ('unavailable' in clock) throw new Error(clock.unavailable);
  return clock;
}
