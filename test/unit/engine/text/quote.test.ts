import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { shellQuote } from '../../../../src/engine/text/shell-quote.ts';

const HARD = [
  '',
  "it's",
  '"',
  '$HOME',
  '`id`',
  '\\',
  'a b',
  '~',
  '~root',
  '=ls',
  '*',
  '{a,b}',
  '!!',
  '#x',
  '-n',
  'é',
  'a\nb',
  "'",
  "''",
  'a=b',
  '\t',
];

test('bash reads a quoted word back as the text it stands for', () => {
  const script = `printf '%s\\0' ${HARD.map(shellQuote).join(' ')}`;
  const words = execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\0');
  expect(words.slice(0, -1)).toEqual(HARD);
});

test('what needs no quotes gets none', () => {
  expect(['/usr/bin/ls', 'a-b_c.d', 'x=1', 'user@host:path'].map(shellQuote)).toEqual([
    '/usr/bin/ls',
    'a-b_c.d',
    'x=1',
    'user@host:path',
  ]);
});
