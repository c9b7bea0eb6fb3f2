import { describe, expect, test } from 'vitest';
import { BUILT_IN_CONDENSERS } from '../../../../../src/engine/output/condensers/built-in-condensers.ts';
import type { Condenser } from '../../../../../src/engine/output/condensers/condenser.ts';
import { LineCondenser } from '../../../../../src/engine/output/condensers/line-condenser.ts';

function condense(name: string, lines: readonly string[], more: Partial<Condenser> = {}): string[] {
  const condenser = BUILT_IN_CONDENSERS.find((each) => each.name === name);
  if (condenser === undefined) throw new Error(`no condenser ${name}`);
  const shown: string[] = [];
  const condensing = new LineCondenser({ ...condenser, ...more }, ({ line }) => shown.push(line.start));
  for (const [index, start] of lines.entries())
    condensing.add({
      number: index + 1,
      line: { start, end: '', missing: null },
      rawBytes: start.length + 1,
      ended: true,
    });
  condensing.end();
  return shown;
}

describe('of the output of a known command', () => {
  test('passed tests become a count, and failed ones stay with the heading they stand under', () => {
    expect(
      condense('mocha', [
        '  cart',
        '    ✔ adds an item',
        '    ✔ removes an item',
        '  checkout',
        '    ✔ asks for an address',
        '    ✔ asks for a card',
        '    1) refuses an empty cart',
        '  search',
        '    ✔ finds Error: pages',
        '',
        '  4 passing (12ms)',
        '  1 failing',
      ]),
    ).toEqual([
      '[… 2 passed tests, 1 heading]',
      '  checkout',
      '[… 2 passed tests]',
      '    1) refuses an empty cart',
      '  search',
      '    ✔ finds Error: pages',
      '',
      '  4 passing (12ms)',
      '  1 failing',
    ]);
  });

  test('what a passed test printed goes with it, and what a failed one printed stays', () => {
    expect(
      condense('go', [
        '=== RUN   TestGood',
        '    a_test.go:3: looked at it',
        '--- PASS: TestGood (0.00s)',
        '=== RUN   TestBad',
        '    a_test.go:9: status = 200, want 422',
        '--- FAIL: TestBad (0.00s)',
        'FAIL\tshop/cart\t0.01s',
        'ok  \tshop/search\t0.01s',
      ]),
    ).toEqual([
      '[… 3 lines of passed tests, 1 test progress line]',
      '    a_test.go:9: status = 200, want 422',
      '--- FAIL: TestBad (0.00s)',
      'FAIL\tshop/cart\t0.01s',
      'ok  \tshop/search\t0.01s',
    ]);
  });

  test('downloads and steps become counts, and warnings stay', () => {
    expect(
      condense('npm', [
        'npm http fetch GET 200 https://r.example/a 12ms',
        'npm http fetch GET 200 https://r.example/b 12ms',
        'npm warn deprecated request@2.88.2: request has been deprecated',
        'npm http fetch GET 404 https://r.example/c 12ms',
        'added 324 packages in 24s',
      ]),
    ).toEqual([
      '[… 2 requests]',
      'npm warn deprecated request@2.88.2: request has been deprecated',
      'npm http fetch GET 404 https://r.example/c 12ms',
      'added 324 packages in 24s',
    ]);
  });

  test('a line that matches a rule stays if it reports a failure', () => {
    const lines = [
      '-- Looking for foo',
      '-- Looking for bar: error: no compiler',
      '-- Looking for baz',
      '-- x',
    ];
    expect(condense('make', lines)[1]).toBe('-- Looking for bar: error: no compiler');
  });

  test('what was asked for by name is shown', () => {
    const lines = Array.from({ length: 50 }, (_, index) => `Setting up lib${index} (1.0) ...`);
    lines[20] = 'Setting up emacs-nox (28.2) ...';
    lines[21] = 'Setting up emacs-nox-extra (28.2) ...';
    expect(condense('apt', lines, { requestedNames: ['emacs-nox'] })).toEqual([
      '[… 20 steps]',
      'Setting up emacs-nox (28.2) ...',
      '[… 29 steps]',
    ]);
  });

  test('lines that differ in their digits alone are counted', () => {
    const lines = Array.from({ length: 30 }, (_, index) => `copied block ${index}`);
    expect(condense('make', [...lines, 'done'])).toEqual(['copied block 0', '[… 29 similar lines]', 'done']);
  });

  test('of a listing the first entries of each directory stay', () => {
    const lines = ['a', 'b'].flatMap((name) =>
      Array.from({ length: 20 }, (_, index) => `./${name}/f${'x'.repeat(index)}`),
    );
    const shown = condense('listing', lines);
    expect(shown).toHaveLength(14);
    expect(shown[6]).toBe('[… 14 entries]');
  });

  test('one line alone is not counted: the count would be as long', () => {
    expect(condense('npm', ['npm http fetch GET 200 https://r.example/a 1ms', 'x'])).toHaveLength(2);
  });
});
