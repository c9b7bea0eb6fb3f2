import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { Comparison } from './compare.ts';
import { fuzzedScript } from './fuzz.ts';
import { fuzzedLine } from './fuzz-line.ts';
import type { Seen } from './reference.ts';
import { ROUTES, type Route } from './routes.ts';
import { readScripts } from './scripts.ts';

/** `all`: every script on every route, and many more random ones. Else each script on the first route, and a part on the others. */
const isWhole = process.env.NACRE_FIDELITY === 'all';
const FUZZED = isWhole ? 200 : 15;
/** Another one gives other random scripts. */
const FIRST_SEED = Number(process.env.NACRE_FIDELITY_SEED ?? 0);
const AT_ONCE = 3;

const scripts = readScripts();
const PLAIN = ROUTES.filter(({ ready }) => ready !== true);
const areas = [...new Set(scripts.map(({ area }) => area))];
const comparison = new Comparison();
afterAll(() => comparison.close());

interface Named {
  readonly name: string;
  readonly text: string;
  readonly isRandom?: boolean;
}

/** Parts of a random script may print at the same time, and what they print may hold the number of a process. */
const TRIES = 5;

function loosely(text: string): string {
  return text
    .replace(/\b\d{3,7}\b/g, 'N')
    .split('\n')
    .sort()
    .join('\n');
}

/** Four codes are read as deaths by a signal; the list of differences says so. */
function asCode<T extends Pick<Seen, 'exitCode' | 'signal'>>(seen: T): T {
  const code = { SIGHUP: 129, SIGINT: 130, SIGPIPE: 141, SIGTERM: 143 }[seen.signal ?? ''];
  return code === undefined ? seen : { ...seen, exitCode: code, signal: null };
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
  const tries: { readonly bash: Seen; readonly nacre: Seen }[] = [];
  let found: string[] = [];
  for (let attempt = 0; attempt < (isRandom ? TRIES : 1); attempt++) {
    const seen = await comparison.run(text, route);
    tries.push({ bash: comparable(seen.bash, isRandom), nacre: comparable(seen.nacre, isRandom) });
    // What a race decides may be decided another way the next time, on either side.
    const pairs = tries.flatMap(({ bash }) =>
      tries.map(({ nacre }) => KEYS.filter((key) => bash[key] !== nacre[key])),
    );
    if (pairs.some((keys) => keys.length === 0)) return [];
    found = KEYS.filter((key) => tries.at(-1)?.bash[key] !== tries.at(-1)?.nacre[key]).map(
      (key) => `${name}: ${key}\n${text}\nbash:  ${show(seen.bash[key])}\nnacre: ${show(seen.nacre[key])}`,
    );
  }
  return found;
}

const KEYS = ['out', 'err', 'exitCode', 'signal', 'files'] as const;

function comparable(seen: Seen, isRandom: boolean): Seen {
  if (!isRandom) return seen;
  const { out, err, files, ...rest } = asCode(seen);
  return { ...rest, out: loosely(out), err: loosely(err), files: loosely(files) };
}

function show(value: string | number | null): string {
  return JSON.stringify(value)?.slice(0, 2_000) ?? '';
}

describe.each(ROUTES)('through $name', (route) => {
  const isFirst = route === ROUTES[0];
  // A shell that is ready has to be waited for.
  const part = route.ready ? 18 : 6;

  test.each(areas)('%s is as in bash', async (area) => {
    const chosen = scripts.filter(
      ({ area: own, differs }, at) =>
        own === area && differs === null && (isWhole || isFirst || at % part === 0),
    );
    expect(await differences(chosen, route)).toEqual([]);
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
    expect(await differences(fuzzed, route)).toEqual([]);
  });
});

test('every difference there is stands on the list, and nothing else does', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/reference/fidelity.md'), 'utf8');
  const listed = [...page.matchAll(/^### `([\w-]+)`$/gm)].map(([, id]) => id);
  const shown = scripts.filter(({ differs }) => differs !== null);
  expect([...new Set(shown.map(({ differs }) => differs))].sort()).toEqual([...listed].sort());
  for (const { name, text } of shown) {
    const routes = await Promise.all(PLAIN.map((route) => differences([{ name, text }], route)));
    expect(routes.flat(), `${name} does not differ any more`).not.toEqual([]);
  }
});
