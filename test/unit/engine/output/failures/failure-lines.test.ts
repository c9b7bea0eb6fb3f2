import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FailureLines } from '../../../../../src/engine/output/failures/failure-lines.ts';

function find(lines: readonly string[], maxBytes = 10_000): { shown: string[]; recognised: number } {
  const failures = new FailureLines();
  for (const [index, text] of lines.entries())
    failures.add({ number: index + 1, text, rawBytes: Buffer.byteLength(text) + 1 });
  const { lines: chosen, recognised } = failures.choose({ maxBytes });
  return { shown: chosen.map(({ number, text }) => `${number}: ${text}`), recognised };
}

describe('lines that tell why it failed', () => {
  test.each([
    ['gcc', "main.c:12:5: error: expected ';' before 'return'"],
    ['gcc, a header', 'foo.c:1:10: fatal error: nope.h: No such file or directory'],
    ['the linker', "/usr/bin/ld: main.o: undefined reference to `frob'"],
    ['collect2', 'collect2: error: ld returned 1 exit status'],
    ['tsc', "src/app.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'."],
    ['tsc, pretty', "src/app.ts:3:7 - error TS2322: Type 'string' is not assignable to type 'number'."],
    ['rustc', 'error[E0308]: mismatched types'],
    ['go build', './main.go:7:2: undefined: fmt.Printn'],
    ['javac', 'Main.java:5: error: cannot find symbol'],
    ['maven', '[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin'],
    ['eslint', "  12:5  error  'x' is not defined  no-undef"],
    ['esbuild', '✘ [ERROR] Could not resolve "./nope"'],
    ['vitest', ' FAIL  test/app.test.ts > adds > two numbers'],
    ['vitest, the list', '   × adds two numbers 5ms'],
    ['jest', '  ● adds › two numbers'],
    ['jest, the file', 'FAIL src/app.test.js'],
    ['jest, the sum', 'Tests:       1 failed, 4 passed, 5 total'],
    ['mocha', '  3 failing'],
    ['node:test', 'not ok 4 - adds two numbers'],
    ['node:test, the sum', '# fail 2'],
    [
      'assertions of JavaScript',
      '     AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:',
    ],
    ['pytest', 'E       assert 1 == 2'],
    ['pytest, the list', 'FAILED tests/test_app.py::test_add - assert 1 == 2'],
    ['pytest, the sum', '=================== 1 failed, 4 passed in 0.12s ===================='],
    ['unittest', 'FAIL: test_add (tests.test_app.AppTest)'],
    ['unittest, the sum', 'FAILED (failures=1, errors=2)'],
    ['cargo test', 'test tests::adds ... FAILED'],
    ['go test', '--- FAIL: TestAdd (0.00s)'],
    ['go test, the message', '    app_test.go:12: got 3, want 4'],
    ['googletest', '[  FAILED  ] AppTest.Adds (0 ms)'],
    ['Python', 'Traceback (most recent call last):'],
    ['an exception of Python', "KeyError: 'name'"],
    ['an exception in a package', 'requests.exceptions.ConnectionError: HTTPSConnectionPool'],
    ['an exception of JavaScript', "TypeError: Cannot read properties of undefined (reading 'x')"],
    ['Java', 'Exception in thread "main" java.lang.NullPointerException'],
    ['Java, the cause', 'Caused by: java.io.IOException: broken pipe'],
    ['a panic of Go', 'panic: runtime error: index out of range [3] with length 3'],
    ['a panic of Rust', "thread 'main' panicked at src/main.rs:4:5:"],
    ['npm', 'npm ERR! code ELIFECYCLE'],
    ['newer npm', 'npm error code E404'],
    ['pnpm', ' ERR_PNPM_NO_MATCHING_VERSION  No matching version found'],
    ['make', 'make[1]: *** [Makefile:12: all] Error 2'],
    ['ninja', 'FAILED: CMakeFiles/app.dir/main.c.o'],
    ['cmake', 'CMake Error at CMakeLists.txt:4 (find_package):'],
    ['gradle', 'FAILURE: Build failed with an exception.'],
    ['git', 'fatal: not a git repository (or any of the parent directories): .git'],
    ['assert.h', "app: main.c:12: main: Assertion `x > 0' failed."],
    ['the shell', 'bash: line 1: foo: command not found'],
    ['the shell, a file', 'cat: nope.txt: No such file or directory'],
    ['a crash', 'Segmentation fault (core dumped)'],
    ['a kill', 'Killed'],
    ['memory', 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory'],
  ])('%s', (_, line) => {
    expect(find(['compiling', line, 'done']).shown[0]).toBe(`2: ${line}`);
  });

  test.each([
    'Compiled with 0 errors',
    'no errors found',
    'Tests  12 passed (12)',
    'src/error-handling.ts',
    '  GET /errors 200 12ms',
    'copying failure_modes.md',
    'errors: 0, warnings: 3',
    'PASS src/error.test.js',
    'ok 3 - does not fail',
  ])('not %s', (line) => {
    expect(find([line]).shown).toEqual([]);
  });

  test('bring the line that says where', () => {
    expect(find(['error[E0308]: mismatched types', '  --> src/main.rs:4:5', '   |', 'x']).shown).toEqual([
      '1: error[E0308]: mismatched types',
      '2:   --> src/main.rs:4:5',
    ]);
    expect(
      find([
        'TypeError: x is not a function',
        '    at f (a.js:1:1)',
        '    at g (a.js:2:1)',
        '    at h (a.js:3:1)',
      ]).shown,
    ).toHaveLength(3);
  });

  test('are counted, not repeated', () => {
    const lines = Array.from({ length: 50 }, (_, index) => `main.c:${index}:1: error: too many frobs`);
    expect(find(lines)).toEqual({
      shown: ['1: main.c:0:1: error: too many frobs (and 49 more like it)'],
      recognised: 50,
    });
  });

  test('of a log full of the word "error" are few', () => {
    const lines = Array.from(
      { length: 5000 },
      (_, index) => `12:00:01 ERROR [worker-${'abc'.repeat(index % 40)}] retry`,
    );
    expect(find(lines).shown.length).toBeLessThanOrEqual(6);
  });

  test('that mean it come before those that might', () => {
    const noise = Array.from({ length: 30 }, (_, index) => `log: ${'x'.repeat(index)} ERROR happened`);
    const real = Array.from({ length: 6 }, (_, index) => `fatal: ${'y'.repeat(index + 1)} is broken`);
    expect(find([...noise, ...real]).shown).toEqual(real.map((text, index) => `${31 + index}: ${text}`));
  });

  test('of a rare kind are not washed away by a flood of another', () => {
    const flood = Array.from(
      { length: 5000 },
      (_, index) =>
        `find: /x/${'d'.repeat(index % 60)}${String.fromCharCode(97 + (index % 26))}: Permission denied`,
    );
    flood[2500] = "TypeError: Cannot read properties of undefined (reading 'x')";
    expect(find(flood, 2000).shown.join('\n')).toContain('2501: TypeError');
  });

  test('are the first and the last ones where not all fit', () => {
    const word = (index: number): string =>
      String.fromCharCode(97 + (index % 26), 97 + Math.floor(index / 26));
    const lines = Array.from({ length: 100 }, (_, index) => `fatal: ${word(index)}`);
    expect(find(lines, 56).shown).toEqual([
      '1: fatal: aa',
      '2: fatal: ba',
      '99: fatal: ud',
      '100: fatal: vd',
    ]);
  });

  test('never take more room than they are given, and keep the order of the output', () => {
    const line = fc.oneof(
      fc.string(),
      fc.constantFrom('error: x', 'E   assert', 'panic: boom', 'fatal: 🙂', ' ERROR y'),
      fc.string().map((text) => `error: ${text}`),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 60 }), fc.nat(300), (lines, maxBytes) => {
        const { shown } = find(lines, maxBytes);
        const numbers = shown.map((text) => Number.parseInt(text, 10));
        expect(Buffer.byteLength(shown.map((text) => `${text}\n`).join(''))).toBeLessThanOrEqual(maxBytes);
        expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
      }),
    );
  });

  test('are cut when they are very long', () => {
    const [shown] = find([`error: ${'🙂'.repeat(5000)}`]).shown;
    expect(shown?.length).toBeLessThan(420);
    expect(shown).not.toContain('\ufffd');
  });
});
