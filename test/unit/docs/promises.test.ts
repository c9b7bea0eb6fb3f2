import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const TESTS = join(import.meta.dirname, '../..');
const PAGE = readFileSync(join(TESTS, '../docs/reference/promises.md'), 'utf8');
const ROW = /^\| ([A-Z]+-\d+) \| [^|]+ \| (●?) ?\| ([^|]*?) ?\|$/gm;
const rows = [...PAGE.matchAll(ROW)].map(([, id = '', mark, places = '']) => ({
  id,
  isProved: mark === '●',
  places: [...places.matchAll(/`([^`]+)`/g)].map(([, place = '']) => place),
}));

const suite = join(TESTS, 'conformance');
const proved = new Set(
  readdirSync(suite).flatMap((name) =>
    [...readFileSync(join(suite, name), 'utf8').matchAll(/^proves(?:ToModels)?\(\s*'([A-Z]+-\d+)'/gm)].map(
      ([, id = '']) => id,
    ),
  ),
);

describe('the page of promises', () => {
  test('has a row for everything that starts like one', () => {
    expect(rows.length).toBeGreaterThan(60);
    expect(rows).toHaveLength(PAGE.match(/^\| [A-Z]+-\d+/gm)?.length ?? 0);
  });

  test('marks what the suite of all doors proves, and nothing else', () => {
    const marked = rows.filter(({ isProved }) => isProved).map(({ id }) => id);
    expect(marked.sort()).toEqual([...proved].sort());
  });

  test.each(rows)('$id leads to tests that exist', ({ isProved, places }) => {
    expect(isProved || places.length > 0).toBe(true);
    expect(places.filter((place) => !existsSync(join(TESTS, place)))).toEqual([]);
  });
});
