/** A client by its kind, for the worker processes. */
import { Redis } from 'ioredis';
import { createClient } from 'redis';

export async function connect(kind, port, options = {}) {
  if (kind === 'ioredis') {
    const client = new Redis({ host: '127.0.0.1', port: Number(port), ...options });
    client.on('error', () => {});
    return { client, end: () => client.disconnect() };
  }
  const socket = { host: '127.0.0.1', port: Number(port), ...options.socket };
  const client = createClient({ ...options, socket });
  client.on('error', () => {});
  await client.connect();
  return { client, end: () => client.destroy() };
}
