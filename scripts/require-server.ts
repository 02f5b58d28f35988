/** Before any test: one server that can be started, fetched if need be, or one sentence that says why there is none. */
import { tryFindServer } from '../packages/testkit/src/index.ts';

export default async function requireServer(): Promise<void> {
  const found = await tryFindServer();
  if ('why' in found) {
    const how = 'install redis-server or valkey-server, or put one on the PATH';
    throw new Error(
      `the tests need a real Redis or Valkey server, and none can be had: ${found.why}; ${how}`,
    );
  }
}
