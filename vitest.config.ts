import { defineConfig } from 'vitest/config';

/** These start many busy processes: run after the others, one file at a time, so that they make nobody's clock late. */
const BUSY = [
  'packages/holdfast/test/storm/**/*.test.ts',
  'examples/{game-company,streaming,soft-cap}/test/**/*.test.ts',
];
/** Minutes of exploring and measuring: with `npm run test:lab`. */
const LAB = ['cli', 'market', 'page', 'steps-locks', 'steps-semaphores', 'step-8'].map(
  (name) => `packages/lab/test/${name}.test.ts`,
);
const ALL = ['packages/*/test/**/*.test.ts', 'examples/*/test/**/*.test.ts'];
const NEVER = '**/node_modules/**';
const withLab = process.env.HOLDFAST_TEST_LAB !== undefined;

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
          exclude: [NEVER, ...BUSY, ...LAB],
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'busy',
          include: withLab ? [...BUSY, ...LAB] : BUSY,
          exclude: [NEVER],
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
