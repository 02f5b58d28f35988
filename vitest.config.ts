import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** These start many busy processes: run after the others, so that they make nobody's clock late. */
const PROGRAMS = '{examples/{game-company,streaming,soft-cap}/test/**/*,packages/cli/test/crowd}.test.ts';
const STORMS = 'packages/holdfast/test/{storm/**/*,quorum/storm}.test.ts';
/** Minutes of exploring and measuring: with `npm run test:lab`. */
const LAB = ['cli', 'market', 'page', 'steps-locks', 'steps-semaphores', 'step-8'].map(
  (name) => `packages/lab/test/${name}.test.ts`,
);
/** A minute of everything the benchmark measures: beside the checks in `.ci/run`, and with `npm run test:lab`. */
const BENCH = 'packages/bench/test/main.test.ts';
const ALL = ['packages/*/test/**/*.test.ts', 'examples/*/test/**/*.test.ts'];
const NEVER = '**/node_modules/**';
const withLab = process.env.HOLDFAST_TEST_LAB !== undefined;

/** Begins with what lasts longest: small files that run a whole contract for each server or client. By size they would come last, and end alone. */
class ContractsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isContract = ({ moduleId }: TestSpecification) => moduleId.includes('/test/contract/');
    return [...sorted.filter(isContract), ...sorted.filter((file) => !isContract(file))];
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: ContractsFirst },
    globalSetup: './scripts/require-server.ts',
    reporters: ['default', './packages/testkit/src/vitest-reporter.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        // Four, since the tests mostly wait: two kept two cores busy for less than half of the time, four for three quarters. More would make clocks late.
        test: {
          name: 'tests',
          include: ALL,
          exclude: [NEVER, PROGRAMS, STORMS, BENCH, ...LAB],
          maxWorkers: 4,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'programs',
          include: withLab ? [PROGRAMS, BENCH, ...LAB] : [PROGRAMS],
          exclude: [NEVER],
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'storms',
          include: [STORMS],
          exclude: [NEVER],
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
