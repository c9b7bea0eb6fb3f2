import type { Comparison } from './compare.ts';
import type { Seen } from './reference.ts';
import type { Route } from './routes.ts';

/** A script to be compared. */
export interface Named {
  readonly name: string;
  readonly text: string;
  /** Parts of it may print at the same time, and what they print may hold the number of a process. */
  readonly isRandom?: boolean;
}

/** How often one is tried that may go more than one way. */
const TRIES = 5;
const AT_ONCE = 3;

/** What differs, in words; nothing when nacre and bash did the same. */
export async function findDifferences(
  comparison: Comparison,
  { scripts, route }: { readonly scripts: readonly Named[]; readonly route: Route },
): Promise<string[]> {
  const found: string[] = [];
  const queue = [...scripts];
  const work = async (): Promise<void> => {
    for (let script = queue.shift(); script !== undefined; script = queue.shift())
      found.push(...(await differencesOf(comparison, { script, route })));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
}

async function differencesOf(
  comparison: Comparison,
  { script: { name, text, isRandom = false }, route }: { readonly script: Named; readonly route: Route },
): Promise<string[]> {
  const all: { readonly bash: Seen; readonly nacre: Seen }[] = [];
  let found: string[] = [];
  for (let attempt = 0; attempt < (isRandom ? TRIES : 1); attempt++) {
    const seen = await comparison.run(text, route);
    const last = { bash: comparable(seen.bash, isRandom), nacre: comparable(seen.nacre, isRandom) };
    all.push(last);
    // What a race decides may be decided another way the next time, on either side.
    if (all.some(({ bash }) => all.some(({ nacre }) => keysThatDiffer(bash, nacre).length === 0))) return [];
    found = keysThatDiffer(last.bash, last.nacre).map(
      (key) => `${name}: ${key}\n${text}\nbash:  ${show(seen.bash[key])}\nnacre: ${show(seen.nacre[key])}`,
    );
  }
  return found;
}

const KEYS = ['out', 'err', 'exitCode', 'signal', 'files'] as const;

/** In what two of them are not the same. */
export function keysThatDiffer(one: Seen, other: Seen): readonly (typeof KEYS)[number][] {
  return KEYS.filter((key) => one[key] !== other[key]);
}

/** What of it must be the same every time. */
export function comparable(seen: Seen, isRandom: boolean): Seen {
  if (!isRandom) return seen;
  const { out, err, files, ...rest } = asCode(seen);
  return { ...rest, out: loosely(out), err: loosely(err), files: loosely(files) };
}

/** Four codes are read as deaths by a signal; the list of differences says so. */
function asCode(seen: Seen): Seen {
  const code = { SIGHUP: 129, SIGINT: 130, SIGPIPE: 141, SIGTERM: 143 }[seen.signal ?? ''];
  return code === undefined ? seen : { ...seen, exitCode: code, signal: null };
}

/** The random scripts end what they print with a newline or with a bar. */
function loosely(text: string): string {
  return text
    .replace(/\b\d{3,7}\b/g, 'N')
    .split(/[\n|]/)
    .sort()
    .join('\n');
}

function show(value: string | number | null): string {
  return JSON.stringify(value)?.slice(0, 2_000) ?? '';
}
