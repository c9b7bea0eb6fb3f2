import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { Comparison } from './compare.ts';
import { findDifferences } from './differences.ts';
import { fuzzedScript } from './fuzz.ts';
import { fuzzedLine } from './fuzz-line.ts';
import { ROUTES } from './routes.ts';
import { readScripts } from './scripts.ts';

/** `all`: every script on every route, and many more random ones. Else each script on the first route, and a part on the others. */
const isWhole = process.env.NACRE_FIDELITY === 'all';
const FUZZED = isWhole ? 200 : 15;
/** Another one gives other random scripts. */
const FIRST_SEED = Number(process.env.NACRE_FIDELITY_SEED ?? 0);

const scripts = readScripts();
const PLAIN = ROUTES.filter(({ ready }) => ready !== true);
const areas = [...new Set(scripts.map(({ area }) => area))];
const comparison = new Comparison();
afterAll(() => comparison.close());

describe.each(ROUTES)('through $name', (route) => {
  const isFirst = route === ROUTES[0];
  // A shell that is ready has to be waited for.
  const part = route.ready ? 18 : 6;

  test.each(areas)('%s is as in bash', async (area) => {
    const chosen = scripts.filter(
      ({ area: own, differs }, at) =>
        own === area && differs === null && (isWhole || isFirst || at % part === 0),
    );
    expect(await findDifferences(comparison, { scripts: chosen, route })).toEqual([]);
  });

  test.each([
    ['scripts', fuzzedScript],
    ['lines', fuzzedLine],
  ])('fuzzed %s are as in bash', async (_, make) => {
    const offset = FIRST_SEED + ROUTES.indexOf(route) * FUZZED;
    const fuzzed = Array.from({ length: isWhole || isFirst ? FUZZED : 3 }, (_, at) => ({
      name: `seed ${offset + at}`,
      text: make(offset + at),
      isRandom: true,
    }));
    expect(await findDifferences(comparison, { scripts: fuzzed, route })).toEqual([]);
  });
});

test('every difference there is stands on the list, and nothing else does', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/reference/fidelity.md'), 'utf8');
  const listed = [...page.matchAll(/^### `([\w-]+)`$/gm)].map(([, id]) => id);
  const shown = scripts.filter(({ differs }) => differs !== null);
  expect([...new Set(shown.map(({ differs }) => differs))].sort()).toEqual([...listed].sort());
  for (const { name, text } of shown) {
    const routes = await Promise.all(
      PLAIN.map((route) => findDifferences(comparison, { scripts: [{ name, text }], route })),
    );
    expect(routes.flat(), `${name} does not differ any more`).not.toEqual([]);
  }
});
