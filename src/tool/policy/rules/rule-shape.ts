/** What a field of a rule takes: the words for it, and whether a value is one. */
type FieldCheck = readonly [expected: string, accepts: (value: unknown) => boolean];

/** The fields a rule may have. */
export type RuleShape<T> = { readonly [Key in keyof Required<T>]: FieldCheck };

export const textCheck: FieldCheck = ['a text', isText];
export const filledTextCheck: FieldCheck = ['a text', (value) => isText(value) && value !== ''];
export const flagCheck: FieldCheck = ['true or false', (value) => typeof value === 'boolean'];
export const wordsCheck: FieldCheck = [
  'a text or a list of texts',
  (value) => isText(value) || isTexts(value),
];
export const namesCheck: FieldCheck = ['a list of names', isTexts];
export const functionCheck: FieldCheck = ['a function', (value) => typeof value === 'function'];
export const examplesCheck: FieldCheck = [
  'an object with match and noMatch, lists of commands',
  (value) =>
    isRecord(value) &&
    Object.entries(value).every(([key, list]) => /^(?:match|noMatch)$/.test(key) && isTexts(list)),
];

export function oneOfCheck(...known: readonly string[]): FieldCheck {
  return [
    `${known.slice(0, -1).join(', ')} or ${known.at(-1)}`,
    (value) => known.some((word) => word === value),
  ];
}

/** What is wrong with the form of a rule that came from outside; `null` when nothing is. */
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
