/** One kind of value: how it is told from others, and how it is written in an environment variable. */
export interface SettingType {
  /** As an error says it: `must be <expected>`. */
  readonly expected: string;
  /** The value as it is used, or `undefined` when it is not one. */
  parse(value: unknown): unknown;
  /** What is wrong with a value that looks right, in words; `null` when nothing is. */
  problem?(value: unknown): string | null;
  /** A variable's text as the value a file would have. */
  fromText(text: string): unknown;
  /** Values from several sources are joined instead of replaced. */
  readonly addsUp?: boolean;
}

const asItIs = (text: string): unknown => text;

export const flag: SettingType = {
  expected: 'true or false',
  parse: (value) => (typeof value === 'boolean' ? value : undefined),
  fromText: (text) => FLAG_WORDS.get(text.toLowerCase()) ?? text,
};

const FLAG_WORDS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 'true', 'yes', 'on'].map((word) => [word, true] as const),
  ...['0', 'false', 'no', 'off'].map((word) => [word, false] as const),
]);

export const names: SettingType = {
  expected: 'a list of names',
  parse: (value) =>
    Array.isArray(value) && value.every((entry) => typeof entry === 'string' && entry.trim() !== '')
      ? value
      : undefined,
  fromText: (text) =>
    text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  addsUp: true,
};

/** Hosts by name; the library says what is wrong with a single one. */
export const hosts: SettingType = {
  expected: 'an object of host names and hosts',
  parse: (value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined,
  fromText: (text) => {
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  },
};

export const absolutePath: SettingType = {
  expected: 'an absolute path',
  parse: (value) => (typeof value === 'string' && /^\/[^\0]*$/.test(value) ? value : undefined),
  fromText: asItIs,
};

export const text: SettingType = {
  expected: 'text without NUL',
  parse: (value) => (typeof value === 'string' && !value.includes('\0') ? value : undefined),
  fromText: asItIs,
};

export function oneOf(...words: readonly string[]): SettingType {
  return {
    expected: `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`,
    parse: (value) => words.find((word) => word === value),
    fromText: asItIs,
  };
}

/** A whole number; times are in milliseconds, as the names say. */
export function wholeNumber(from: number, to: number = Number.MAX_SAFE_INTEGER): SettingType {
  const upTo = to === Number.MAX_SAFE_INTEGER ? '' : ` to ${to}`;
  return {
    expected: `a whole number from ${from}${upTo}`,
    parse: (value) => (isWhole(value) && value >= from && value <= to ? value : undefined),
    fromText: (text) => (/^\d+$/.test(text) ? Number(text) : text),
  };
}

/** A count of bytes, as a number or with a unit. */
export const bytes: SettingType = {
  expected: 'a number of bytes, or a text such as "512MiB"',
  parse: (value) =>
    typeof value === 'string' ? parseSize(value) : isWhole(value) && value >= 0 ? value : undefined,
  fromText: asItIs,
};

const UNITS: Readonly<Record<string, number>> = { '': 0, B: 0, K: 1, M: 2, G: 3, T: 4 };

function parseSize(text: string): number | undefined {
  const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?) ?(B|[KMGT]?)(?:i?B)?$/i.exec(text.trim()) ?? [];
  const size = Number(digits) * 1024 ** (UNITS[unit.toUpperCase()] ?? 0);
  return digits !== '' && Number.isSafeInteger(Math.round(size)) ? Math.round(size) : undefined;
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
