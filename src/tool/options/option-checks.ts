/** What an option takes: the words for it, and whether a value is one. */
export interface OptionCheck {
  readonly expected: string;
  accepts(value: unknown): boolean;
}

export const anyText: OptionCheck = { expected: 'text', accepts: isText };
export const nonEmptyText: OptionCheck = {
  expected: 'text that is not empty',
  accepts: (value) => isText(value) && value.trim() !== '',
};
export const textWithoutNul: OptionCheck = { expected: 'text without NUL', accepts: hasNoNul };
export const path: OptionCheck = { expected: 'a path', accepts: (value) => hasNoNul(value) && value !== '' };
export const flag: OptionCheck = {
  expected: 'true or false',
  accepts: (value) => typeof value === 'boolean',
};
export const stringList: OptionCheck = {
  expected: 'a list of texts',
  accepts: (value) => Array.isArray(value) && value.every(isText),
};
export const objectList: OptionCheck = {
  expected: 'a list of objects',
  accepts: (value) => Array.isArray(value) && value.every(isRecord),
};
export const shellVariables: OptionCheck = {
  expected: 'an object of variable names and texts without NUL',
  accepts: (value) => eachEntry(value, (name, entry) => /^[A-Za-z_]\w*$/.test(name) && hasNoNul(entry)),
};
export const environment: OptionCheck = {
  expected: 'an object of texts',
  accepts: (value) => eachEntry(value, (_, entry) => entry === undefined || isText(entry)),
};
export const absolutePaths: OptionCheck = {
  expected: 'an object of names and absolute folders',
  accepts: (value) => eachEntry(value, (_, entry) => hasNoNul(entry) && entry.startsWith('/')),
};
export const urlResolvers: OptionCheck = {
  expected: 'an object of scheme names (a letter, then letters, digits, +, - or .) and functions',
  accepts: (value) =>
    eachEntry(value, (name, entry) => /^[a-z][a-z0-9+.-]*$/.test(name) && isFunction(entry)),
};
export const hookFunctions: OptionCheck = {
  expected: 'an object with the functions before and after, or one of them',
  accepts: (value) =>
    eachEntry(
      value,
      (name, entry) => /^(?:before|after)$/.test(name) && (entry === undefined || isFunction(entry)),
    ),
};
export const hostOrNull: OptionCheck = {
  expected: 'the name of a host, a host or null',
  accepts: (value) =>
    value === null ||
    (hasNoNul(value) && value !== '') ||
    (isRecord(value) && isFunction(value.start) && isFunction(value.close)),
};
export const hostTable: OptionCheck = { expected: 'an object of host names and hosts', accepts: isRecord };

export const tracerOrNull: OptionCheck = {
  expected: 'an object with a function startSpan, or null',
  accepts: (value) => value === null || (isRecord(value) && isFunction(value.startSpan)),
};

export const clientTerminalsOrNull: OptionCheck = {
  expected: 'an object with a function create, or null',
  accepts: (value) => value === null || (isRecord(value) && isFunction(value.create)),
};

export const functionOrNull: OptionCheck = {
  expected: 'a function or null',
  accepts: (value) => value === null || isFunction(value),
};

export function integerFrom(least: number, most: number = Number.MAX_SAFE_INTEGER): OptionCheck {
  const upTo = most === Number.MAX_SAFE_INTEGER ? '' : ` to ${most}`;
  return {
    expected: `a whole number from ${least}${upTo}`,
    accepts: (value) => isInteger(value) && value >= least && value <= most,
  };
}

export function oneOf(...values: readonly string[]): OptionCheck {
  return { expected: values.join(' or '), accepts: (value) => values.some((known) => known === value) };
}

export function orNull(check: OptionCheck): OptionCheck {
  return {
    expected: `${check.expected} or null`,
    accepts: (value) => value === null || check.accepts(value),
  };
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function eachEntry(value: unknown, accepts: (name: string, entry: unknown) => boolean): boolean {
  return isRecord(value) && Object.entries(value).every(([name, entry]) => accepts(name, entry));
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function hasNoNul(value: unknown): value is string {
  return isText(value) && !value.includes('\0');
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
