/**
 * Checks of values that come from outside: options, settings, call input, rules. This module imports nothing, so that every
 * layer can use it.
 */

/** Decides whether a value is acceptable, and names the acceptable values. */
export interface Check<T = unknown> {
  /** Completes the sentence `must be …`. */
  readonly expected: string;
  accepts(value: unknown): value is T;
  /** Converts the text of an environment variable or flag. Text that has no other meaning is returned unchanged. */
  readonly parseText?: (text: string) => unknown;
  /** What a settings file accepts, where it may also contain the text form of the value: `"512MiB"`. */
  readonly expectedInFiles?: string;
  /** The accepted words, where there are only a few. */
  readonly choices?: readonly string[];
  /** Whether lists from several sources are joined instead of replaced. */
  readonly isCumulative?: boolean;
  /** The value as text that `parseText` converts back; JSON by default. */
  render?(value: T): string;
  /** Throws a NacreError for a value that has the right form and cannot be used. */
  validate?(value: T): void;
}

/** The fields that an object may have. */
export type Shape = Readonly<Record<string, Check>>;

/** The first field of an object that is unknown, wrong or missing. */
export type FieldProblem =
  | { readonly kind: 'unknown'; readonly field: string; readonly hint: string }
  | { readonly kind: 'invalid'; readonly field: string; readonly expected: string; readonly value: unknown };

/** Returns the first problem of an object's fields, or `null`. `undefined` counts as not given. */
export function findFieldProblem(
  object: Readonly<Record<string, unknown>>,
  shape: Shape,
  required: readonly string[] = [],
): FieldProblem | null {
  for (const [field, value] of Object.entries(object)) {
    // Own properties only, so that `constructor` is not found on the prototype.
    const check = Object.hasOwn(shape, field) ? shape[field] : undefined;
    if (check === undefined) return { kind: 'unknown', field, hint: didYouMean(field, Object.keys(shape)) };
    if (value !== undefined && !check.accepts(value))
      return { kind: 'invalid', field, expected: check.expected, value };
  }
  const missing = required.find((field) => object[field] === undefined);
  if (missing === undefined) return null;
  return { kind: 'invalid', field: missing, expected: shape[missing]?.expected ?? '', value: undefined };
}

/** Describes the first problem of an object, or returns `null`: `unknown field 'patern'. Did you mean 'pattern'?`. */
export function findShapeProblem(
  value: unknown,
  shape: Shape,
  required: readonly string[] = [],
): string | null {
  if (!isRecord(value)) return `it must be an object, got ${describeValue(value)}`;
  const problem = findFieldProblem(value, shape, required);
  if (problem === null) return null;
  return problem.kind === 'unknown'
    ? `unknown field '${problem.field}'.${problem.hint || ` Known fields: ${Object.keys(shape).join(', ')}.`}`
    : `${problem.field} must be ${problem.expected}, got ${describeValue(problem.value)}`;
}

const MAX_DESCRIBED_LENGTH = 60;

/** Describes a value in an error message, with at most its first 60 characters. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return `the text ${JSON.stringify(truncate(value))}`;
  if (typeof value === 'number' || typeof value === 'bigint') return `the number ${value}`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (value === null || typeof value === 'boolean') return String(value);
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function truncate(text: string): string {
  return text.length <= MAX_DESCRIBED_LENGTH ? text : `${text.slice(0, MAX_DESCRIBED_LENGTH)}…`;
}

/** Returns ` Did you mean 'X'?` for the known name nearest to a mistyped one, or an empty text. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const nearest = findNearestName(name, known);
  return nearest === undefined ? '' : ` Did you mean '${nearest}'?`;
}

/** Returns the known name with the smallest edit distance, if it is at most a third of the name's length. */
export function findNearestName(name: string, known: Iterable<string>): string | undefined {
  // The search takes time proportional to the length of the name.
  if (name.length > 64) return undefined;
  const wanted = name.toLowerCase();
  const [best] = [...known]
    .map((candidate) => ({ candidate, distance: editDistance(wanted, candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  return best && best.distance <= Math.max(1, Math.floor(wanted.length / 3)) ? best.candidate : undefined;
}

function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const swap = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

/** Whether a value is an object that is not a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Joins choices as a sentence does: `a, b or c`. */
export function joinChoices(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

const BOOLEAN_WORDS: Readonly<Record<string, boolean>> = {
  ...{ 1: true, true: true, yes: true, on: true },
  ...{ 0: false, false: false, no: false, off: false },
};

export const boolean: Check<boolean> = {
  expected: 'true or false',
  accepts: (value): value is boolean => typeof value === 'boolean',
  parseText: (text) => {
    const word = text.toLowerCase();
    return Object.hasOwn(BOOLEAN_WORDS, word) ? BOOLEAN_WORDS[word] : text;
  },
};

export const text: Check<string> = { expected: 'text', accepts: isText };

export const nonEmptyText: Check<string> = textThat('text that is not empty', (value) => value.trim() !== '');

export const textWithoutNul: Check<string> = textThat('text without NUL', hasNoNul);

export const path: Check<string> = textThat('a path', (value) => value !== '' && hasNoNul(value));

export const absolutePath: Check<string> = textThat('an absolute path', isAbsolute);

/** Text with a further condition. */
export function textThat(expected: string, accepts: (value: string) => boolean): Check<string> {
  return { expected, accepts: (value): value is string => isText(value) && accepts(value) };
}

/** One of several words. */
export function oneOf<const Word extends string>(...words: readonly Word[]): Check<Word> {
  return {
    expected: joinChoices(words),
    choices: words,
    accepts: (value): value is Word => words.some((word) => word === value),
  };
}

/** A whole number within bounds. */
export function integer(least: number, most: number = Number.MAX_SAFE_INTEGER): Check<number> {
  return {
    expected: `a whole number${renderBounds(least, most)}`,
    accepts: (value): value is number =>
      Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
    parseText: (digits) => (/^\d+$/.test(digits) ? Number(digits) : digits),
  };
}

function renderBounds(least: number, most: number): string {
  return ` from ${least}${most === Number.MAX_SAFE_INTEGER ? '' : ` to ${most}`}`;
}

const MS_PER_UNIT: Readonly<Record<string, number>> = {
  ...{ '': 1, ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 },
};

/** A number of milliseconds. Settings may also contain text with a unit: `90s`, `10m`, `7d`. */
export function milliseconds(least: number, most: number = Number.MAX_SAFE_INTEGER): Check<number> {
  return {
    ...integer(least, most),
    expectedInFiles: `a number of milliseconds${renderBounds(least, most)}, or text such as "90s"`,
    parseText: (written) => {
      const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?) ?(ms|[smhd])?$/.exec(written.trim()) ?? [];
      return digits === '' ? written : Math.round(Number(digits) * (MS_PER_UNIT[unit] ?? 1));
    },
  };
}

const BYTE_UNITS = 'BKMGT';

/** A number of bytes. Settings may also contain text with a unit: `512MiB`. */
export const byteSize: Check<number> = {
  ...integer(0),
  expectedInFiles: 'a number of bytes, or text such as "512MiB"',
  parseText: (written) => {
    const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?) ?(B|[KMGT]?)(?:i?B)?$/i.exec(written.trim()) ?? [];
    const power = Math.max(0, BYTE_UNITS.indexOf(unit.toUpperCase()));
    return digits === '' ? written : Math.round(Number(digits) * 1024 ** power);
  },
  render: (bytes) => {
    const power = [4, 3, 2, 1].find((each) => bytes > 0 && bytes % 1024 ** each === 0) ?? 0;
    return power === 0 ? String(bytes) : `${bytes / 1024 ** power}${BYTE_UNITS[power]}iB`;
  },
};

/** A number of bytes within bounds, with the same text form. */
export function byteSizeWithin(least: number, most: number): Check<number> {
  const { accepts } = integer(least, most);
  const expected = `a number of bytes${renderBounds(least, most)}`;
  return { ...byteSize, accepts, expected, expectedInFiles: `${expected}, or text such as "10KiB"` };
}

/** A number above zero. */
export const positiveNumber: Check<number> = {
  expected: 'a number above 0',
  accepts: (value): value is number => typeof value === 'number' && Number.isFinite(value) && value > 0,
};

export const textList: Check<readonly string[]> = listOf('a list of texts', isText);

/** A list of names; lists from several sources are joined. In a variable, commas separate the names. */
export const nameList: Check<readonly string[]> = {
  ...listOf('a list of names', (entry): entry is string => isText(entry) && entry.trim() !== ''),
  parseText: (names) =>
    names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  isCumulative: true,
};

/** A list whose entries meet a condition. In a variable, the list is written as JSON. */
export function listOf<T>(expected: string, accepts: (entry: unknown) => entry is T): Check<readonly T[]> {
  return {
    expected,
    accepts: (value): value is readonly T[] => Array.isArray(value) && value.every(accepts),
    parseText: parseJson,
  };
}

/** An object with arbitrary names whose entries meet a condition. In a variable, the object is written as JSON. */
export function mapOf<T>(
  expected: string,
  accepts: (entry: unknown, name: string) => boolean,
): Check<Readonly<Record<string, T>>> {
  return {
    expected,
    accepts: (value): value is Readonly<Record<string, T>> =>
      isRecord(value) && Object.entries(value).every(([name, entry]) => accepts(entry, name)),
    parseText: parseJson,
  };
}

/** An object with functions of these names. */
export function objectWith<T>(expected: string, ...functions: readonly string[]): Check<T> {
  return {
    expected,
    accepts: (value): value is T => isRecord(value) && functions.every((name) => isFunction(value[name])),
  };
}

/** A function. */
export function functionOf<T>(): Check<T> {
  return { expected: 'a function', accepts: (value): value is T => isFunction(value) };
}

/** The same check with `null` accepted as well. */
export function orNull<T>(check: Check<T>): Check<T | null> {
  return {
    ...(check as Check<T | null>),
    expected: `${check.expected} or null`,
    accepts: (value): value is T | null => value === null || check.accepts(value),
  };
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

/** Whether text contains no NUL, which ends a string in system calls. */
export function hasNoNul(value: string): boolean {
  return !value.includes('\0');
}

export function isAbsolute(value: unknown): boolean {
  return isText(value) && /^\/[^\0]*$/.test(value);
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
