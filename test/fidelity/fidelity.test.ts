import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { Comparison, ROUTES, type Route } from './compare.ts';
import { fuzzedScript } from './fuzz.ts';
import { readScripts } from './scripts.ts';

/** `all`: every script on every route, and many more fuzzed ones. Else each script on the first route, and a part on the others. */
const isWhole = process.env.NACRE_FIDELITY === 'all';
const PART = 6;
const FUZZED = isWhole ? 200 : 15;
const AT_ONCE = 3;

const scripts = readScripts();
const areas = [...new Set(scripts.map(({ area }) => area))];
const comparison = new Comparison();
afterAll(() => comparison.close());

interface Named {
  readonly name: string;
  readonly text: string;
  readonly isRandom?: boolean;
}

/** Parts of a random script may print at the same time, and what they print may hold the number of a process. */
const TRIES = 4;

function loosely(value: string | number | null): string {
  return String(value)
    .replace(/\b\d{3,7}\b/g, 'N')
    .split('\n')
    .sort()
    .join('\n');
}

/** What differs, in words; nothing when nacre and bash did the same. */
async function differences(all: readonly Named[], route: Route): Promise<string[]> {
  const found: string[] = [];
  const queue = [...all];
  const work = async (): Promise<void> => {
    for (let script = queue.shift(); script !== undefined; script = queue.shift())
      found.push(...(await differencesOf(script, route)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
}

async function differencesOf({ name, text, isRandom = false }: Named, route: Route): Promise<string[]> {
  let found: string[] = [];
  for (let attempt = 0; attempt < (isRandom ? TRIES : 1); attempt++) {
    const { bash, nacre } = await comparison.run(text, route);
    const isSame = (key: keyof typeof bash): boolean =>
      isRandom ? loosely(bash[key]) === loosely(nacre[key]) : bash[key] === nacre[key];
    const keys = (['out', 'err', 'exitCode', 'signal', 'files'] as const).filter((key) => !isSame(key));
    found = keys.map(
      (key) => `${name}: ${key}\n${text}\nbash:  ${show(bash[key])}\nnacre: ${show(nacre[key])}`,
    );
    if (found.length === 0) break;
  }
  return found;
}

function show(value: string | number | null): string {
  return JSON.stringify(value)?.slice(0, 2_000) ?? '';
}

describe.each(ROUTES)('through $name', (route) => {
  const isFirst = route === ROUTES[0];

  test.each(areas)('%s is as in bash', async (area) => {
    const chosen = scripts.filter(
      ({ area: own, differs }, at) =>
        own === area && differs === null && (isWhole || isFirst || at % PART === 0),
    );
    expect(await differences(chosen, route)).toEqual([]);
  });

  test('fuzzed scripts are as in bash', async () => {
    const offset = ROUTES.indexOf(route) * FUZZED;
    const fuzzed = Array.from({ length: isWhole || isFirst ? FUZZED : 3 }, (_, at) => ({
      name: `seed ${offset + at}`,
      text: fuzzedScript(offset + at),
      isRandom: true,
    }));
    expect(await differences(fuzzed, route)).toEqual([]);
  });
});

test('every difference there is stands on the list, and nothing else does', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/reference/fidelity.md'), 'utf8');
  const listed = [...page.matchAll(/^### `([\w-]+)`$/gm)].map(([, id]) => id);
  const shown = scripts.filter(({ differs }) => differs !== null);
  expect([...new Set(shown.map(({ differs }) => differs))].sort()).toEqual([...listed].sort());
  for (const { name, text } of shown) {
    const routes = await Promise.all(ROUTES.map((route) => differences([{ name, text }], route)));
    expect(routes.flat(), `${name} does not differ any more`).not.toEqual([]);
  }
});
