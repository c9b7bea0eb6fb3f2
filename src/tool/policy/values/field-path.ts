import {
  concatFields,
  type Field,
  type SymbolicValue,
  splitAt,
  symbolicField,
  toField,
  toLiteral,
  UNKNOWN_FIELD,
} from './field.ts';

/** A path resolved as far as its text is known: a base directory, parent steps and names. */
export interface FieldPath {
  readonly base: 'root' | 'unknown' | Exclude<SymbolicValue, 'user'>;
  /** Number of parent directories above the base. */
  readonly up: number;
  readonly names: readonly Field[];
}

/** The directory in which the command starts. */
export const START_PATH: FieldPath = { base: 'start', up: 0, names: [] };
/** A path of which nothing is known. */
const UNKNOWN_PATH: FieldPath = { base: 'unknown', up: 0, names: [] };

/** Resolves a field as a path relative to a directory. */
export function toFieldPath(field: Field, from: FieldPath): FieldPath {
  const [first] = field;
  if (first === undefined) return from;
  if (first.kind === 'symbol' && first.value !== 'user')
    return appendToBase({ base: first.value, up: 0, names: [] }, field.slice(1));
  if (first.kind === 'unknown' || first.kind === 'stream') return appendToBase(UNKNOWN_PATH, field.slice(1));
  if (first.kind === 'text' && first.text.startsWith('/'))
    return resolveSteps(ROOT_PATH, splitAt(field, '/'));
  return resolveSteps(from, splitAt(field, '/'));
}

const ROOT_PATH: FieldPath = { base: 'root', up: 0, names: [] };

/** Appends the rest of a word to a base; without a slash in between the result is an unknown path. */
function appendToBase(base: FieldPath, rest: Field): FieldPath {
  const [next] = rest;
  if (next === undefined) return base;
  if (next.kind === 'text' && next.text.startsWith('/')) return resolveSteps(base, splitAt(rest, '/'));
  const [, ...names] = splitAt(rest, '/');
  return resolveSteps({ ...UNKNOWN_PATH, names: [UNKNOWN_FIELD] }, names);
}

function resolveSteps(from: FieldPath, steps: readonly Field[]): FieldPath {
  let { up } = from;
  const names = [...from.names];
  for (const step of steps) {
    const literal = toLiteral(step);
    if (literal === '' || literal === '.') continue;
    if (literal !== '..') names.push(step);
    else if (names.pop() === undefined && from.base !== 'root' && from.base !== 'unknown') up += 1;
  }
  return normalizeHome({ base: from.base, up, names });
}

/** Treats `/home/$USER` as the home directory. */
function normalizeHome(path: FieldPath): FieldPath {
  const [home, user] = path.names;
  const isUser = user?.length === 1 && user[0]?.kind === 'symbol' && user[0].value === 'user';
  const isHome = path.base === 'root' && isUser && /^(?:home|Users)$/.test(toLiteral(home) ?? '');
  return isHome ? { base: 'home', up: 0, names: path.names.slice(2) } : path;
}

/** Converts a path to a field: the text that `pwd` would print there. */
export function fromFieldPath(path: FieldPath): Field {
  if (path.base === 'unknown') return UNKNOWN_FIELD;
  const base = path.base === 'root' ? [] : symbolicField(path.base);
  const steps = [...Array.from({ length: path.up }, () => toField('..')), ...path.names];
  const field = concatFields(base, ...steps.map((step) => concatFields(toField('/'), step)));
  return field.length === 0 ? toField('/') : field;
}

/** Returns an absolute path as text; `null` when part of it is unknown or depends on the host. */
export function toAbsolutePath(path: FieldPath): string | null {
  return path.base === 'root' ? toLiteral(fromFieldPath(path)) : null;
}
