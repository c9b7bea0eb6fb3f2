/** The expected value of a field, as text for messages and as a predicate. */
type FieldCheck = readonly [expected: string, accepts: (value: unknown) => boolean];

/** The fields a rule may have, with their checks. */
export type RuleShape<T> = { readonly [Key in keyof Required<T>]: FieldCheck };

/** Accepts any string. */
export const textCheck: FieldCheck = ['a text', isText];
/** Accepts a non-empty string. */
export const filledTextCheck: FieldCheck = ['a text', (value) => isText(value) && value !== ''];
/** Accepts a boolean. */
export const flagCheck: FieldCheck = ['true or false', (value) => typeof value === 'boolean'];
/** Accepts a string or a list of strings. */
export const wordsCheck: FieldCheck = [
  'a text or a list of texts',
  (value) => isText(value) || isTexts(value),
];
/** Accepts a list of strings. */
export const namesCheck: FieldCheck = ['a list of names', isTexts];
/** Accepts a function. */
export const functionCheck: FieldCheck = ['a function', (value) => typeof value === 'function'];
/** Accepts the examples of a rule. */
export const examplesCheck: FieldCheck = [
  'an object with match and noMatch, lists of commands',
  (value) =>
    isRecord(value) &&
    Object.entries(value).every(([key, list]) => /^(?:match|noMatch)$/.test(key) && isTexts(list)),
];

/** Accepts one of the listed strings. */
export function oneOfCheck(...known: readonly string[]): FieldCheck {
  return [
    `${known.slice(0, -1).join(', ')} or ${known.at(-1)}`,
    (value) => known.some((word) => word === value),
  ];
}

/** Returns the first problem in the shape of a rule, or `null`. */
export function findShapeProblem<T>(rule: unknown, shape: RuleShape<T>): string | null {
  if (!isRecord(rule)) return `it must be an object, got ${renderValue(rule)}`;
  const checks: Readonly<Record<string, FieldCheck>> = shape;
  for (const [key, value] of Object.entries(rule)) {
    if (!Object.hasOwn(checks, key)) return `there is no field ${key}, only ${Object.keys(shape).join(', ')}`;
    const [expected, accepts] = checks[key] ?? textCheck;
    if (value !== undefined && !accepts(value))
      return `${key} must be ${expected}, got ${renderValue(value)}`;
  }
  return null;
}

function renderValue(value: unknown): string {
  return (JSON.stringify(value) ?? String(value)).slice(0, 80);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
