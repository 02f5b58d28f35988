/** Against a real server, whose own count knows nothing of ours. */
import { startServer } from '@holdfast/testkit';
import { expect, test } from 'vitest';
import { type Client, type ClientId, connect } from '../src/clients.ts';
import { countSent } from '../src/count-sent.ts';

const ping = (client: Client) => (client.kind === 'ioredis' ? client.redis.ping() : client.redis.ping());

test.each<ClientId>(['ioredis5', 'ioredis6', 'node-redis'])(
  '%s: commands as they are sent, and the writes they took',
  async (id) => {
    await using server = await startServer();
    const client = await connect(id, server.port);
    const sent = countSent();
    await ping(client);
    expect(sent).toEqual({ commands: 1, writes: 1, turns: 1 });
    // What a script does inside is not sent.
    await client.redis.get('*1\r\n');
    await (client.kind === 'ioredis'
      ? client.redis.eval("redis.call('set', KEYS[1], 1) return redis.call('get', KEYS[1])", 1, 'a')
      : client.redis.eval("redis.call('set', KEYS[1], 1) return redis.call('get', KEYS[1])", {
          keys: ['a'],
        }));
    expect(sent).toEqual({ commands: 3, writes: 3, turns: 3 });
    await Promise.all(Array.from({ length: 50 }, () => ping(client)));
    expect(sent).toMatchObject({ commands: 53, turns: 4 });
    client.close();
  },
);
