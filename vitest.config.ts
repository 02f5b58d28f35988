import { defineConfig } from 'vitest/config';

/** These take both cores for themselves: run after the others, one at a time, so that they make nobody's clock late. */
const STORMS = 'packages/holdfast/test/storm/**/*.test.ts';
const ALL = ['packages/*/test/**/*.test.ts', 'examples/*/test/**/*.test.ts'];

export default defineConfig({
  test: {
    globalSetup: './scripts/require-server.ts',
    reporters: ['default', './packages/testkit/src/vitest-reporter.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        // Two cores: more files at once only make clocks late.
        test: {
          name: 'tests',
          include: ALL,
          exclude: ['**/node_modules/**', STORMS],
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: { name: 'storms', include: [STORMS], maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
