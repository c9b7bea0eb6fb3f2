import { NacreError } from '../../index.ts';
import { didYouMean } from '../../validator.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The type of a request field. */
export interface FieldType<T> {
  readonly expected: string;
  is(value: unknown): value is T;
}

export const textField: FieldType<string> = {
  expected: 'a string',
  is: (value) => typeof value === 'string',
};

/** Any value; the tool validates it. */
export const anyField: FieldType<unknown> = {
  expected: 'an object',
  is: (value): value is unknown => value !== undefined,
};

export const booleanField: FieldType<boolean> = {
  expected: 'true or false',
  is: (value) => typeof value === 'boolean',
};

export const countField: FieldType<number> = {
  expected: 'a whole number from 1',
  is: (value): value is number => Number.isSafeInteger(value) && Number(value) >= 1,
};

export const requestIdField: FieldType<string | number> = {
  expected: 'the id of a request',
  is: (value) => typeof value === 'string' || typeof value === 'number',
};

export function rangeField(first: 0 | 1): FieldType<{ readonly from: number; readonly to: number }> {
  return {
    expected: `an object with from and to, whole numbers from ${first}`,
    is: (value): value is { from: number; to: number } => {
      const { from, to } = Object(value) as { from?: unknown; to?: unknown };
      return (
        [from, to].every((end) => Number.isSafeInteger(end) && Number(end) >= first) &&
        Number(from) <= Number(to)
      );
    },
  };
}

export function enumField<T extends string>(...words: readonly T[]): FieldType<T> {
  return {
    expected: words.map((word) => JSON.stringify(word)).join(', '),
    is: (value): value is T => words.some((word) => word === value),
  };
}

type FieldTypes = Readonly<Record<string, FieldType<unknown>>>;
type ReadFields<K extends FieldTypes> = {
  readonly [Name in keyof K]?: K[Name] extends FieldType<infer T> ? T : never;
};

/** Validates the fields of a request; `null` counts as missing. */
export function readFields<K extends FieldTypes, R extends keyof K & string = never>(
  fields: Fields,
  kinds: K,
  ...required: readonly R[]
): ReadFields<K> & Required<Pick<ReadFields<K>, R>> {
  const given = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  for (const [name, value] of given) {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind === undefined)
      throw badField(name, `is not a field of this request.${didYouMean(name, Object.keys(kinds))}`);
    if (!kind.is(value)) throw badField(name, `expected ${kind.expected}`);
  }
  const read = Object.fromEntries(given);
  for (const name of required)
    if (read[name] === undefined) throw badField(name, `is required: ${kinds[name]?.expected}`);
  return read as ReadFields<K> & Required<Pick<ReadFields<K>, R>>;
}

export function badField(field: string, problem: string): NacreError {
  return new NacreError('bad_input', { field, problem });
}
