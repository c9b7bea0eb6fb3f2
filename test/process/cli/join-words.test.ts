import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quoteWords } from '../../../src/surfaces/cli/run/run-plan.ts';

test('bash finds exactly the words that were joined', () => {
  const tricky = fc.constantFrom(
    '',
    ' ',
    "'",
    '"',
    '$HOME',
    '~',
    '*',
    '!',
    '#x',
    'A=1',
    'a\nb',
    '\\',
    '-n',
    '`id`',
    'é',
  );
  const words = fc.array(fc.oneof(tricky, fc.string({ maxLength: 8 })), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(words, (list) => {
      const clean = list.map((word) => word.replaceAll('\0', ''));
      const text = quoteWords(['printf', '%s\\0', ...clean]);
      const printed = execFileSync('bash', ['-c', text], { encoding: 'utf8' });
      expect(printed.split('\0').slice(0, -1)).toEqual(clean);
    }),
    { numRuns: 60 },
  );
});

test('a first word that looks like an assignment is a program, and plain words stay readable', () => {
  expect(quoteWords(['A=1', 'B=2'])).toBe("'A=1' B=2");
  expect(quoteWords(['grep', '-r', 'some text', './src', '--color=never'])).toBe(
    "grep -r 'some text' ./src --color=never",
  );
});
