import type { Reporter, SerializedError, TestCase, TestModule, TestRunEndReason } from 'vitest/node';

/**
 * Ends the output with a line for each failure, `FAILED: …`, and `N passed, N failed, N skipped`, also of a run that broke
 * down before its end. What fails outside a test (a file, a hook, an unhandled rejection) counts as one failure each.
 */
export default class CountsReporter implements Reporter {
  #lines = ['0 passed, 1 failed, 0 skipped'];

  /** Printed last of all: after the other reporters' summaries, which have an order of their own. */
  onInit(): void {
    process.once('exit', () => console.log(this.#lines.join('\n')));
  }

  onTestRunEnd(
    modules: readonly TestModule[],
    errors: readonly SerializedError[],
    reason: TestRunEndReason,
  ): void {
    const tests = modules.flatMap((one) => [...one.children.allTests()]);
    const count = (...wanted: string[]) =>
      tests.filter((test) => wanted.includes(test.result().state)).length;
    const failures = [
      ...tests.filter((test) => test.result().state === 'failed').map(failedTest),
      ...modules.flatMap(brokenParts),
      ...errors.map((error) => `outside a test: ${firstLine(error)}`),
    ];
    const failed = failures.length || (reason === 'passed' ? 0 : 1);
    this.#lines = [
      ...failures.map((failure) => `FAILED: ${failure}`),
      `${count('passed')} passed, ${failed} failed, ${count('skipped', 'pending')} skipped`,
    ];
  }
}

function failedTest(test: TestCase): string {
  return `${test.module.relativeModuleId} > ${test.fullName}: ${firstLine(test.result().errors?.[0])}`;
}

/** A file or a group whose loading or hook threw: its tests may look skipped. */
function brokenParts(module: TestModule): string[] {
  return [module, ...module.children.allSuites()].flatMap((part) =>
    part.errors().map((error) => `${module.relativeModuleId}, outside a test: ${firstLine(error)}`),
  );
}

function firstLine(error: { message: string } | undefined): string {
  return error?.message.split('\n', 1)[0] ?? 'without a word';
}
