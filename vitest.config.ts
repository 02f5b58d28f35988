import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/*/test/**/*.test.ts', 'examples/*/test/**/*.test.ts'],
    globalSetup: './scripts/require-server.ts',
    reporters: ['default', './packages/testkit/src/vitest-reporter.ts'],
    // Two cores: more files at once only make clocks late.
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
