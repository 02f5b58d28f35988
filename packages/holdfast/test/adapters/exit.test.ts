import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort, type RedisProcess, startServer, startWorker } from '../../../testkit/src/index.ts';

let server: RedisProcess;
let folder: string;

beforeAll(async () => {
  server = await startServer();
  folder = await mkdtemp(join(tmpdir(), 'holdfast-exit-'));
  await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      outDir: folder,
      ssr: fileURLToPath(new URL('../../src/adapters/index.ts', import.meta.url)),
      rolldownOptions: { output: { entryFileNames: 'adapters.mjs' } },
    },
  });
}, 30_000);
afterAll(async () => {
  await server?.shutdown();
  await rm(folder, { recursive: true });
});

describe.each(['ioredis', 'ioredis6', 'iovalkey', 'redis', 'redis5'])('%s', (library) => {
  test.each(['subscriber closed', 'subscriber left open', 'server down'])(
    'a program ends by itself: %s',
    async (scenario) => {
      const port = scenario === 'server down' ? await freePort() : server.port;
      await using worker = startWorker(new URL('./fixtures/exit-worker.mjs', import.meta.url), {
        args: [join(folder, 'adapters.mjs'), library, String(port), scenario],
      });
      await worker.waitFor(() => true);
      const done = performance.now();
      expect(await worker.exited).toMatchObject({ code: 0 });
      expect(performance.now() - done).toBeLessThan(1000);
      expect(worker.stderr).toBe('');
    },
  );
});
