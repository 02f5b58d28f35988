/** What the worker processes share: a client by its kind, and a record of what should never happen. */
import { Redis } from 'ioredis';
import { createClient } from 'redis';

export const faults = [];
process.on('unhandledRejection', (error) => faults.push(`unhandled rejection: ${error}`));
process.on('uncaughtException', (error) => faults.push(`uncaught exception: ${error}`));
process.on('warning', (warning) => faults.push(`warning: ${warning}`));

export async function connect(kind, port) {
  if (kind === 'ioredis') {
    const raw = new Redis({ host: '127.0.0.1', port: Number(port) });
    raw.on('error', () => {});
    return { raw, end: () => raw.quit() };
  }
  const raw = createClient({ socket: { host: '127.0.0.1', port: Number(port) } });
  raw.on('error', () => {});
  await raw.connect();
  return { raw, end: () => raw.close() };
}
