import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadFailureVocabulary } from '../../../../../src/engine/output/failures/failure-classifier.ts';
import { FailureCollector } from '../../../../../src/engine/output/failures/failure-collector.ts';
import { FailureScanner } from '../../../../../src/engine/output/failures/failure-scanner.ts';
import { NO_SECRET_MASK } from '../../../../../src/engine/output/secret-mask.ts';

interface Found {
  readonly lines: string[];
  readonly next: number;
  readonly rest: string;
}

function glance(chunks: readonly Buffer[], deadline = Number.POSITIVE_INFINITY): Found {
  const failures = new FailureCollector();
  const pass = new FailureScanner({
    assess: (line, recall) => failures.assess(line, recall),
    mask: NO_SECRET_MASK,
    firstLine: 1,
    deadline,
  });
  for (const chunk of chunks) pass.write(chunk);
  return { lines: choose(failures), next: pass.line, rest: pass.unreadBytes().toString() };
}

/** The same, read line by line. */
function read(text: string): string[] {
  const failures = new FailureCollector();
  for (const [index, line] of text.split('\n').slice(0, -1).entries())
    failures.add({ number: index + 1, text: line, rawBytes: Buffer.byteLength(line) + 1 });
  return choose(failures);
}

function choose(failures: FailureCollector): string[] {
  return failures.select({ maxBytes: 5000 }).lines.map(({ number, text }) => `${number}: ${text}`);
}

const line = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: fc.constantFrom('a', 'e', ' ', '1', 'é', ':'), maxLength: 40 }) },
  fc.constantFrom(
    'error: broken',
    'FAILED tests/a.py::b - x',
    'TypeError: x',
    '    at f (a.js:1:1)',
    '  File "a.py", line 3, in f',
    ' × adds two numbers',
    'E   assert 1 == 2',
    'panic: boom',
    'not ok 3 - x',
  ),
);

describe('a glance at the middle of a long output', () => {
  test('finds what reading every line would find, however the bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 60 }), fc.integer({ min: 1, max: 50 }), (lines, step) => {
        const text = lines.map((each) => `${each}\n`).join('');
        const bytes = Buffer.from(text);
        const chunks = Array.from({ length: Math.ceil(bytes.length / step) }, (_, index) =>
          bytes.subarray(index * step, (index + 1) * step),
        );
        const found = glance(chunks);
        expect(found.lines).toEqual(read(text));
        expect(found.next).toBe(lines.length + 1);
      }),
      { numRuns: 300, examples: [[['e: a:'], 1]] },
    );
  });

  test('counts a flood without reading it, and finds what is not part of it', () => {
    const flood = Array.from(
      { length: 20_000 },
      (_, index) => `12:00:${index} ERROR retry ${index}: 0 errors left? no, ${index}\n`,
    );
    flood[12_345] = '12:00:01 ERROR retry 7: disk is full\n';
    const text = flood.join('');
    expect(glance([Buffer.from(text)])).toMatchObject({ lines: read(text), next: 20_001 });
    expect(read(text).join('\n')).toContain('12346: 12:00:01 ERROR retry 7: disk is full');
  });

  test('ignores a keyword that every line contains, and still uses the others', () => {
    const word = (index: number): string =>
      index.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)] ?? '');
    const flood = Array.from({ length: 12_000 }, (_, index) => `worker ${word(index * 7919)} error again\n`);
    flood[11_000] = "thread 'main' panicked at src/main.rs:4:5:\n";
    expect(glance([Buffer.from(flood.join(''))]).lines).toContain(
      "11001: thread 'main' panicked at src/main.rs:4:5:",
    );
  });

  test('distinguishes a count of zero from other counts', () => {
    const fine = Array.from({ length: 5000 }, (_, index) => `batch ${index}: 0 errors: none\n`);
    fine[4000] = 'batch 4000: 3 errors: none\n';
    fine[4001] = 'batch 4001: error: 3\n';
    expect(glance([Buffer.from(fine.join(''))]).lines).toEqual(read(fine.join('')));
  });

  test('keeps the start of a line whose end has not come', () => {
    expect(glance([Buffer.from('one\ntwo\nthr')])).toEqual({ lines: [], next: 3, rest: 'thr' });
  });

  test('counts lines, and looks at none, when its time is up', () => {
    expect(glance([Buffer.from('error: a\nerror: b\n')], 0)).toEqual({ lines: [], next: 3, rest: '' });
  });

  test('searches only for keywords of at least four bytes', () => {
    const short = loadFailureVocabulary()
      .patterns.filter(({ common }) => common !== true)
      .flatMap(({ words }) => words.split('|'))
      .filter((word) => Buffer.byteLength(word) < 4 || word !== word.toLowerCase());
    expect(short).toEqual([]);
  });
});
