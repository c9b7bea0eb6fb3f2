import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Titles with a value in them are one row together; `test/hosts-long/guarantees.mjs` says which. */
const TOGETHER = /^(?:an exit code of|a death by|%s ends)/;

test('the table of the guide has a row for every promise of the conformance suite, and no other', () => {
  const suite = readFileSync('test/hosts/conformance.ts', 'utf8');
  const titles = [...suite.matchAll(/^ {4,6}test\('([^']+)'/gm)].map(([, title = '']) => title);
  const page = readFileSync('docs/guide/hosts.md', 'utf8');
  const table = /<!-- made by npm run test:hosts -->\n(.*)<!-- end -->/s.exec(page)?.[1] ?? '';
  const rows = [...table.matchAll(/^\| ([^|]+) \|/gm)].map(([, row = '']) => row).slice(1);
  expect(titles.length).toBeGreaterThan(15);
  expect(titles.filter((title) => !TOGETHER.test(title) && !rows.includes(title))).toEqual([]);
  const several = ['an exit code is that exit code', 'a death by a signal is that death'];
  const known = [
    ...titles,
    ...several,
    'children, those in sessions of their own and daemons end with the command',
  ];
  expect(rows.filter((row) => !known.includes(row))).toEqual([]);
});
