import type { Reporter, TestModule } from 'vitest/node';

/**
 * Ends the run with one plain line, and names every test that was skipped, so that a green run hides nothing.
 * With `NACRE_TEST_NO_SKIP=1`, as on the landing machine, a skipped test is a failure.
 */
export class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string): number => tests.filter((test) => test.result().state === state).length;
    const broken = modules.filter((module) => module.errors().length > 0).length;
    const skipped = tests.filter((test) => test.result().state === 'skipped');
    for (const test of skipped) console.log(`skipped: ${test.fullName}`);
    const isStrict = process.env.NACRE_TEST_NO_SKIP === '1';
    const failed = count('failed') + broken + (isStrict ? skipped.length : 0);
    if (failed > 0) process.exitCode = 1;
    const tail = skipped.length > 0 ? `, ${skipped.length} skipped` : '';
    console.log(`${count('passed')} passed, ${failed} failed${tail}`);
  }
}
