import type { Reporter, SerializedError, TestModule, TestRunEndReason } from 'vitest/node';

/**
 * Ends the output with `N passed, N failed, N skipped`, also of a run that broke down before its end. What fails outside
 * a test (a file, a hook, an unhandled rejection) counts as one failure each.
 */
export default class CountsReporter implements Reporter {
  #line = '0 passed, 1 failed, 0 skipped';

  /** Printed last of all: after the other reporters' summaries, which have an order of their own. */
  onInit(): void {
    process.once('exit', () => console.log(this.#line));
  }

  onTestRunEnd(
    modules: readonly TestModule[],
    errors: readonly SerializedError[],
    reason: TestRunEndReason,
  ): void {
    const states = modules.flatMap((one) => [...one.children.allTests()].map((test) => test.result().state));
    const count = (...wanted: string[]) => states.filter((state) => wanted.includes(state)).length;
    const outside = errors.length + modules.flatMap(brokenParts).length;
    const failed = count('failed') + outside || (reason === 'passed' ? 0 : 1);
    this.#line = `${count('passed')} passed, ${failed} failed, ${count('skipped', 'pending')} skipped`;
  }
}

/** A file or a group whose loading or hook threw: its tests may look skipped. */
function brokenParts(module: TestModule): unknown[] {
  return [module, ...module.children.allSuites()].flatMap((part) => part.errors());
}
