/**
 * A connection dies in the turn in which commands were sent. node-redis 5 then writes them to the dead socket, but waits for their replies on the
 * next connection, where all replies go to the command before their own.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import * as redis6 from 'redis';
import * as redis5 from 'redis5';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RedisProcess, startServer } from '../../../testkit/src/index.ts';
import { fromNodeRedis } from '../../src/adapters/index.ts';
import type { Client } from '../../src/client.ts';

const ROUNDS = 20;

const CLIENTS = [
  ['node-redis 5', (port: number) => redis5.createClient({ socket: { host: '127.0.0.1', port } })],
  ['node-redis 6', (port: number) => redis6.createClient({ socket: { host: '127.0.0.1', port } })],
] as const;

describe.each(CLIENTS)('a connection that dies with commands not yet written: %s', (_, make) => {
  let server: RedisProcess;
  const sockets: Socket[] = [];
  const keep = (message: unknown) => void sockets.push((message as { socket: Socket }).socket);

  beforeAll(async () => {
    server = await startServer();
    subscribe('net.client.socket', keep);
  });
  afterAll(async () => {
    unsubscribe('net.client.socket', keep);
    await server?.shutdown();
  });

  it('mixes up no replies', async () => {
    const raw = make(server.port);
    raw.on('error', () => {});
    await raw.connect();
    const client = fromNodeRedis(raw);
    for (let round = 0; round < ROUNDS; round++) {
      const dying = sockets.at(-1);
      const early = await inATurn(server.port, () => {
        const sent = [0, 1, 2].map((i) => echo(client, `${round} early ${i}`));
        dying?.destroy(new Error('read ECONNRESET'));
        return sent;
      });
      const late = [0, 1, 2].map((i) => echo(client, `${round} late ${i}`));
      await Promise.all([...early, ...late]);
    }
    client.detach();
    raw.destroy();
  });
});

/** Its own reply, or none: the connection was lost. */
async function echo(client: Client, text: string): Promise<void> {
  const reply = await client.send({ name: 'ECHO', head: [text], keys: [] }).catch((error: Error) => error);
  if (reply instanceof Error) expect(reply.message).toMatch(/abort|closed|ECONNRESET/i);
  else expect(reply).toBe(text);
}

/** Runs `what` where sockets are read, as when the news of the death arrives there. */
async function inATurn<T>(port: number, what: () => T): Promise<T> {
  const other = connect(port, '127.0.0.1');
  await once(other, 'connect');
  const ran = new Promise<T>((resolve) => other.once('data', () => resolve(what())));
  other.write('PING\r\n');
  const result = await ran;
  other.destroy();
  return result;
}
