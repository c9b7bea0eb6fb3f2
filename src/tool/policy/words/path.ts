import type { Atom, Field, Place } from './atom.ts';
import { literalOf, placeField, toField, UNKNOWN } from './atom.ts';
import { concat } from './join.ts';

/** A path with `.` and `..` taken out, as far as that can be known. */
export interface Path {
  readonly base: 'root' | 'unknown' | Exclude<Place, 'user'>;
  /** How many directories above the base. */
  readonly up: number;
  readonly names: readonly Field[];
}

/** Where a command starts. */
export const START: Path = { base: 'start', up: 0, names: [] };
export const NOWHERE: Path = { base: 'unknown', up: 0, names: [] };

/** Reads a field as a path, seen from a directory. */
export function toPath(field: Field, from: Path): Path {
  const [first] = field;
  if (first === undefined) return from;
  if (first.kind === 'place' && first.place !== 'user')
    return below({ base: first.place, up: 0, names: [] }, field.slice(1));
  if (first.kind === 'unknown' || first.kind === 'stream') return below(NOWHERE, field.slice(1));
  if (first.kind === 'text' && first.text.startsWith('/')) return resolve({ ...ROOT }, split(field));
  return resolve(from, split(field));
}

const ROOT: Path = { base: 'root', up: 0, names: [] };

/** What follows a directory goes on with a slash, or makes it another name altogether. */
function below(base: Path, rest: Field): Path {
  const [next] = rest;
  if (next === undefined) return base;
  if (next.kind === 'text' && next.text.startsWith('/')) return resolve(base, split(rest));
  const [, ...names] = split(rest);
  return resolve({ ...NOWHERE, names: [UNKNOWN] }, names);
}

function split(field: Field): readonly Field[] {
  const names: Atom[][] = [[]];
  for (const atom of field) {
    if (atom.kind !== 'text') {
      names.at(-1)?.push(atom);
      continue;
    }
    const [head = '', ...rest] = atom.text.split('/');
    if (head !== '') names.at(-1)?.push({ kind: 'text', text: head });
    for (const piece of rest) names.push(piece === '' ? [] : [{ kind: 'text', text: piece }]);
  }
  return names;
}

function resolve(from: Path, steps: readonly Field[]): Path {
  let { up } = from;
  const names = [...from.names];
  for (const step of steps) {
    const literal = literalOf(step);
    if (literal === '' || literal === '.') continue;
    if (literal !== '..') names.push(step);
    else if (names.pop() === undefined && from.base !== 'root' && from.base !== 'unknown') up += 1;
  }
  return known({ base: from.base, up, names });
}

/** `/home/$USER` is a way to spell the home directory. */
function known(path: Path): Path {
  const [home, user] = path.names;
  const isUser = user?.length === 1 && user[0]?.kind === 'place' && user[0].place === 'user';
  const isHome = path.base === 'root' && isUser && /^(?:home|Users)$/.test(literalOf(home) ?? '');
  return isHome ? { base: 'home', up: 0, names: path.names.slice(2) } : path;
}

/** The path as a word again: what `pwd` would print there. */
export function pathField(path: Path): Field {
  if (path.base === 'unknown') return UNKNOWN;
  const base = path.base === 'root' ? [] : placeField(path.base);
  const steps = [...Array.from({ length: path.up }, () => toField('..')), ...path.names];
  const field = concat(base, ...steps.map((step) => concat(toField('/'), step)));
  return field.length === 0 ? toField('/') : field;
}

/** The path as plain text, when there is nothing unknown in it and it does not depend on this machine. */
export function absolutePath(path: Path): string | null {
  return path.base === 'root' ? literalOf(pathField(path)) : null;
}
