import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FailureCollector } from '../../../../../src/engine/output/failures/failure-collector.ts';
import { renderNumberedLine } from '../../../../../src/engine/output/views/line-selection.ts';

function find(lines: readonly string[], maxBytes = 10_000): { shown: string[]; recognised: number } {
  const failures = new FailureCollector();
  for (const [index, text] of lines.entries())
    failures.add({ number: index + 1, text, rawBytes: Buffer.byteLength(text) + 1 });
  const { lines: chosen, recognised } = failures.select({ maxBytes });
  return { shown: chosen.flatMap((line) => renderNumberedLine(line).split('\n')), recognised };
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
    ['clang, a note', "a.cpp:3:10: fatal error: 'x.h' file not found"],
    ['kotlin', 'e: file:///src/Main.kt:3:5 Unresolved reference: foo'],
    ['C#', "Program.cs(5,9): error CS0103: The name 'x' does not exist"],
    ['PHP', 'PHP Fatal error:  Uncaught Error: Call to undefined function foo() in /a.php:3'],
    ['Ruby', "app.rb:3:in `foo': undefined method `bar' for nil:NilClass (NoMethodError)"],
    ['perl', 'syntax error at a.pl line 3, near "foo bar"'],
    ['perl, die', 'Died at a.pl line 3.'],
    ['ava', '  ✘ [fail]: adds two numbers'],
    ['mocha, a name', '  1) adds two numbers'],
    ['nextest', '        FAIL [   0.005s] app tests::adds'],
    ['surefire', '[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0'],
    ['surefire, a test', '[ERROR] adds(AppTest)  Time elapsed: 0.01 s  <<< FAILURE!'],
    ['gradle test', 'AppTest > adds FAILED'],
    ['ctest', ' 3/10 Test  #3: adds ......................***Failed    0.01 sec'],
    ['ctest, the sum', '67% tests passed, 1 tests failed out of 3'],
    ['prove', 't/a.t .. Failed 1/3 subtests'],
    ['Test::More', "#   Failed test 'adds'"],
    ['rspec', 'rspec ./spec/app_spec.rb:4 # App adds'],
    ['rspec, the sum', '5 examples, 1 failure'],
    ['phpunit', '1) AppTest::testAdds'],
    ['dotnet test', '  Failed AppTest.Adds [5 ms]'],
    ['bazel', '//app:test                          FAILED in 1.2s'],
    ['biome', 'src/a.ts:3:7 lint/style/useConst  FIXABLE  ━━━━━━━━━━'],
    ['ruff', 'src/a.py:3:7: F401 [*] `os` imported but unused'],
    ['shellcheck', 'In a.sh line 3:'],
    ['rubocop', 'app.rb:3:5: C: Style/StringLiterals: Prefer single-quoted strings'],
    ['eslint, the sum', '✖ 12 problems (10 errors, 2 warnings)'],
    ['yarn', 'error Command failed with exit code 1.'],
    ['yarn berry', '➤ YN0001: │ Error: connect ECONNREFUSED'],
    ['pip', 'ERROR: No matching distribution found for nope==9'],
    ['apt', 'E: Unable to locate package nope'],
    ['dpkg', 'dpkg: error processing package foo (--configure):'],
    ['cargo', 'error: failed to select a version for `serde`.'],
    ['go mod', 'go: example.com/x@v1.2.3: reading x: 404 Not Found'],
    ['configure', 'configure: error: no acceptable C compiler found in $PATH'],
    ['webpack', "Module not found: Error: Can't resolve './nope'"],
    ['vite', 'error during build:'],
    ['rollup', '[!] RollupError: Could not resolve "./nope"'],
    ['a conflict', 'CONFLICT (content): Merge conflict in src/a.ts'],
    ['a push', ' ! [rejected]        main -> main (fetch first)'],
    ['docker', 'Error response from daemon: pull access denied for nope'],
    ['docker build', '#12 ERROR: process "/bin/sh -c make" did not complete successfully: exit code: 2'],
    ['kubectl', 'Error from server (NotFound): pods "web" not found'],
    ['a pod', 'web-0   0/1   CrashLoopBackOff   5 (10s ago)   3m'],
    ['terraform', '│ Error: Invalid reference'],
    ['ansible', 'fatal: [web1]: FAILED! => {"changed": false, "msg": "boom"}'],
    ['a sanitizer', '==123==ERROR: AddressSanitizer: heap-use-after-free on address 0x1'],
    ['valgrind', '==123== Invalid read of size 4'],
    ['C++', "terminate called after throwing an instance of 'std::runtime_error'"],
    ['elixir', '** (RuntimeError) boom'],
    ['a full disk', 'cp: error writing x: No space left on device'],
    ['a port', 'Error: listen EADDRINUSE: address already in use :::3000'],
    ['the kernel', 'Out of memory: Killed process 123 (node) total-vm:1kB'],
    ['Postgres', 'ERROR:  relation "users" does not exist'],
    ['memory', 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory'],
  ])('%s', (_, line) => {
    expect(find(['compiling', line, 'done']).shown[0]).toBe(`2: ${line}`);
  });

  test.each([
    'no errors found',
    'src/error-handling.ts',
    '  GET /errors 200 12ms',
    'copying failure_modes.md',
    'errors: 0, warnings: 3',
    'PASS src/error.test.js',
    'ok 3 - does not fail',
  ])('not %s', (line) => {
    expect(find([line]).shown).toEqual([]);
  });

  test('include the line with the position', () => {
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
    ).toHaveLength(4);
  });

  test('bring what stands before them', () => {
    expect(
      find(['Traceback (most recent call last):', '  File "a.py", line 3, in f', '    x[1]', "KeyError: 'b'"])
        .shown,
    ).toHaveLength(4);
    expect(
      find(['/src/a.js', '  1:1  warning  x  y', "  9:5  error  'x' is not defined  no-undef"]).shown,
    ).toEqual(['1: /src/a.js', '2:   1:1  warning  x  y', "3:   9:5  error  'x' is not defined  no-undef"]);
  });

  test('bring what was expected and what came, and not the frames of libraries', () => {
    const lines = [
      'AssertionError: expected 1 to be 2',
      '- Expected',
      '+ Received',
      '- 2',
      '+ 1',
      ' ❯ test/a.test.ts:12:5',
      '    at f (node_modules/x/y.js:1:1)',
      '    at Object.<anonymous> (src/own.ts:3:1)',
      'quiet',
    ];
    expect(find(lines).shown.map((line) => Number.parseInt(line, 10))).toEqual([1, 2, 3, 4, 5, 6, 8]);
  });

  test('are counted, not repeated', () => {
    const lines = Array.from({ length: 50 }, (_, index) => `main.c:${index}:1: error: too many frobs`);
    expect(find(lines, 80)).toEqual({
      shown: ['1: main.c:0:1: error: too many frobs', '[… 49 more like it]'],
      recognised: 50,
    });
    // Where there is room, some of them, and the count of the others.
    expect(find(lines).shown.slice(-2)).toEqual([
      '13: main.c:12:1: error: too many frobs',
      '[… 37 more like it]',
    ]);
  });

  test('of a log full of "error" are few', () => {
    const lines = Array.from(
      { length: 5000 },
      (_, index) => `12:00:01 ERROR [worker-${'abc'.repeat(index % 40)}] retry`,
    );
    expect(find(lines).shown.filter((line) => !line.startsWith('[… ')).length).toBeLessThanOrEqual(6);
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
        const numbers = shown
          .filter((text) => !text.startsWith('[… '))
          .map((text) => Number.parseInt(text, 10));
        expect(Buffer.byteLength(shown.map((text) => `${text}\n`).join(''))).toBeLessThanOrEqual(maxBytes);
        expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
      }),
    );
  });

  test('are cut when they are very long', () => {
    const [shown] = find([`error: ${'🙂'.repeat(5000)}`]).shown;
    expect(shown?.length).toBeLessThan(440);
    expect(shown).not.toContain('\ufffd');
  });
});
