/** A server for all tests of a file, and the lab's connections to it. */
import { afterAll, beforeAll } from 'vitest';
import { type RedisProcess, startServer } from '../../testkit/src/index.ts';
import { connections, type OwnConnections } from '../src/explore/connections.ts';

/** `own` is there as soon as tests run. */
export function ownServer(): { readonly own: OwnConnections } {
  let server: RedisProcess | undefined;
  let own: OwnConnections | undefined;
  beforeAll(async () => {
    server = await startServer();
    own = connections(server.port);
  });
  afterAll(async () => {
    own?.[Symbol.dispose]();
    await server?.shutdown();
  });
  return {
    get own() {
      if (own === undefined) throw new Error('the server has not been started yet');
      return own;
    },
  };
}
