import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

type Problem = {
  readonly message?: string | undefined;
  readonly stack?: string | undefined;
  readonly diff?: string | undefined;
};

/**
 * Prints one line per test file as it ends, every failure with file, name and message, the skipped tests by reason, and
 * `N passed, N failed` as the last line.
 *
 * With `NACRE_TEST_NO_SKIP=1`, as on the landing machine, a skipped test is a failure.
 */
export class SummaryReporter implements Reporter {
  #files = 0;
  #ended = 0;

  onTestRunStart(specifications: readonly unknown[]): void {
    this.#files = specifications.length;
  }

  onTestModuleEnd(module: TestModule): void {
    this.#ended += 1;
    const tests = [...module.children.allTests()];
    const count = (state: string): number => tests.filter((test) => test.result().state === state).length;
    const [failed, skipped] = [count('failed'), count('skipped')];
    const counts = [
      `${count('passed')} passed`,
      ...(failed > 0 ? [`${failed} failed`] : []),
      ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ];
    const seconds = (module.diagnostic().duration / 1000).toFixed(1);
    console.log(`[${this.#ended}/${this.#files}] ${fileOf(module)}: ${counts.join(', ')} (${seconds} s)`);
    for (const error of module.errors()) printProblem(fileOf(module), error);
    for (const test of tests)
      for (const error of test.result().errors ?? [])
        printProblem(`${fileOf(module)} > ${test.fullName}`, error);
    for (const suite of module.children.allSuites())
      for (const error of suite.errors()) printProblem(`${fileOf(module)} > ${suite.fullName}`, error);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly Problem[] = []): void {
    for (const error of unhandled) printProblem('outside of the tests', error);
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string): number => tests.filter((test) => test.result().state === state).length;
    const broken = modules.filter((module) => module.errors().length > 0).length;
    const skipped = tests.filter((test) => test.result().state === 'skipped');
    for (const [reason, number] of byReason(skipped)) console.log(`skipped: ${number} × ${reason}`);
    const isStrict = process.env.NACRE_TEST_NO_SKIP === '1';
    const failed = count('failed') + broken + unhandled.length + (isStrict ? skipped.length : 0);
    if (failed > 0) process.exitCode = 1;
    const tail = skipped.length > 0 ? `, ${skipped.length} skipped` : '';
    console.log(`${count('passed')} passed, ${failed} failed${tail}`);
  }
}

function fileOf(module: TestModule): string {
  return relative(process.cwd(), module.moduleId);
}

function printProblem(place: string, { message = '', stack = '', diff }: Problem): void {
  const frame = stack.split('\n').find((line) => line.includes('/test/'));
  const parts = [message, diff, frame?.trim()].filter((part) => part !== undefined && part !== '');
  console.log(`FAILED ${place}\n${parts.join('\n').replace(/^/gm, '  ')}`);
}

/** The number of skipped tests for each reason, the largest first. */
function byReason(tests: readonly TestCase[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const test of tests) counts.set(reasonOf(test), (counts.get(reasonOf(test)) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}

/** The note of the skip, or the reason that a suite has in brackets at the end of its name; else the file. */
function reasonOf(test: TestCase): string {
  const result = test.result();
  if (result.state === 'skipped' && result.note) return result.note;
  const named = test.fullName.split(' > ').flatMap((name) => /\(([^()]+)\)$/.exec(name)?.[1] ?? []);
  return named[0] ?? `a condition in ${fileOf(test.module)}`;
}
