import { checkMinimizer, checkPolicy, NacreError } from '../../index.ts';

/** One kind of value: how it is told from others, and how it is written in an environment variable. */
export interface SettingType {
  /** As an error says it: `must be <expected>`. */
  readonly expected: string;
  /** The value as it is used, or `undefined` when it is not one. */
  parse(value: unknown): unknown;
  /** What is wrong with a value that looks right, in words; `null` when nothing is. */
  problem?(value: unknown): string | null;
  /** A variable's text as the value a file would have. */
  parseVariable(text: string): unknown;
  /** Values from several sources are joined instead of replaced. */
  readonly isCumulative?: boolean;
}

const keepText = (text: string): unknown => text;

export const booleanType: SettingType = {
  expected: 'true or false',
  parse: (value) => (typeof value === 'boolean' ? value : undefined),
  parseVariable: (text) => BOOLEAN_WORDS.get(text.toLowerCase()) ?? text,
};

const BOOLEAN_WORDS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 'true', 'yes', 'on'].map((word) => [word, true] as const),
  ...['0', 'false', 'no', 'off'].map((word) => [word, false] as const),
]);

export const nameListType: SettingType = {
  expected: 'a list of names',
  parse: (value) =>
    Array.isArray(value) && value.every((entry) => typeof entry === 'string' && entry.trim() !== '')
      ? value
      : undefined,
  parseVariable: (text) =>
    text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  isCumulative: true,
};

/** Hosts by name; the library says what is wrong with a single one. */
export const hostMapType: SettingType = {
  expected: 'an object of host names and hosts',
  parse: (value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined,
  parseVariable: (text) => {
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  },
};

export const absolutePathType: SettingType = {
  expected: 'an absolute path',
  parse: (value) => (typeof value === 'string' && /^\/[^\0]*$/.test(value) ? value : undefined),
  parseVariable: keepText,
};

export const textType: SettingType = {
  expected: 'text without NUL',
  parse: (value) => (typeof value === 'string' && !value.includes('\0') ? value : undefined),
  parseVariable: keepText,
};

export function enumType(...words: readonly string[]): SettingType {
  return {
    expected: `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`,
    parse: (value) => words.find((word) => word === value),
    parseVariable: keepText,
  };
}

/** A whole number; times are in milliseconds, as the names say. */
export function integerType(from: number, to: number = Number.MAX_SAFE_INTEGER): SettingType {
  const upTo = to === Number.MAX_SAFE_INTEGER ? '' : ` to ${to}`;
  return {
    expected: `a whole number from ${from}${upTo}`,
    parse: (value) => (isInteger(value) && value >= from && value <= to ? value : undefined),
    parseVariable: (text) => (/^\d+$/.test(text) ? Number(text) : text),
  };
}

/** A count of bytes, as a number or with a unit. */
export const byteSizeType: SettingType = {
  expected: 'a number of bytes, or a text such as "512MiB"',
  parse: (value) =>
    typeof value === 'string' ? parseByteSize(value) : isInteger(value) && value >= 0 ? value : undefined,
  parseVariable: keepText,
};

const BYTE_UNIT_POWERS: Readonly<Record<string, number>> = { '': 0, B: 0, K: 1, M: 2, G: 3, T: 4 };

function parseByteSize(text: string): number | undefined {
  const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?) ?(B|[KMGT]?)(?:i?B)?$/i.exec(text.trim()) ?? [];
  const size = Number(digits) * 1024 ** (BYTE_UNIT_POWERS[unit.toUpperCase()] ?? 0);
  return digits !== '' && Number.isSafeInteger(Math.round(size)) ? Math.round(size) : undefined;
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

type Policy = Parameters<typeof checkPolicy>[0];

/** Rules of the interceptor. */
export const interceptorRulesType: SettingType = {
  expected: 'a list of objects with pattern, tool and message',
  parse: (value) => (isListOf(value, ['pattern', 'tool', 'message']) ? value : undefined),
  problem: (rules) => findPolicyProblem({ interceptor: { rules } } as Policy),
  parseVariable: parseJsonOrText,
};

/** Rules about which commands may run. */
export const approvalRulesType: SettingType = {
  expected: 'a list of objects with action, and prefix or pattern',
  parse: (value) => (isListOf(value, ['action']) ? value : undefined),
  problem: (rules) => findPolicyProblem({ approvals: { rules } } as Policy),
  parseVariable: parseJsonOrText,
};

/** Condensers of one's own. */
export const condenserRulesType: SettingType = {
  expected: 'a list of objects with name, commands and drop',
  parse: (value) => (isListOf(value, ['name']) ? value : undefined),
  problem: (condensers) =>
    findProblem(() => checkMinimizer({ condensers } as Parameters<typeof checkMinimizer>[0])),
  parseVariable: parseJsonOrText,
};

/** The library knows what is wrong with a single rule. */
function findPolicyProblem(policy: Policy): string | null {
  return findProblem(() => checkPolicy(policy));
}

function findProblem(check: () => void): string | null {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof NacreError) return error.message;
    throw error;
  }
}

function isListOf(value: unknown, keys: readonly string[]): boolean {
  return Array.isArray(value) && value.every((entry) => keys.every((key) => hasText(entry, key)));
}

function hasText(value: unknown, key: string): boolean {
  return typeof value === 'object' && value !== null && typeof Object(value)[key] === 'string';
}

function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
