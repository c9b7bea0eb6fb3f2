import type { Field } from '../words/atom.ts';
import { fieldKey, literalOf, UNKNOWN } from '../words/atom.ts';
import { concat } from '../words/join.ts';
import { pathField, START, toPath } from '../words/path.ts';
import type { Call } from './machine.ts';
import { Output } from './output.ts';
import type { State } from './state.ts';

/** What a command would read from a file: what the script wrote there, or what stands on a descriptor. */
export function readFile(
  field: Field,
  { frame, descriptors }: Pick<Call, 'frame' | 'descriptors'>,
): readonly Field[] {
  const name = literalOf(field);
  if (name === '-' || name === '/dev/stdin' || name === '/dev/fd/0' || name === '/proc/self/fd/0')
    return frame.stdin ?? [UNKNOWN];
  const descriptor = /^\/(?:dev|proc\/self)\/fd\/(\d+)$/.exec(name ?? '');
  if (descriptor !== null) return descriptors.get(Number(descriptor[1])) ?? [UNKNOWN];
  return storedText(field, frame.state);
}

export function storedText(field: Field, state: State): readonly Field[] {
  const [first] = field;
  if (field.length === 1 && first?.kind === 'stream') return first.content;
  const key = fileKey(field, state);
  return (key === null ? undefined : state.get('file', key)) ?? [UNKNOWN];
}

interface Storing {
  readonly state: State;
  readonly texts: readonly Field[];
  readonly append: boolean;
}

/** Remembers what a command wrote into a file. */
export function storeText(field: Field, { state, texts, append }: Storing): void {
  const key = fileKey(field, state);
  if (key === null || literalOf(field)?.startsWith('/dev/')) return;
  const output = new Output();
  if (append) output.write(state.get('file', key) ?? [[]]);
  output.write(texts);
  state.set('file', key, output.texts);
}

/** One name for all the ways to write a path; `null` when it may be any file. */
export function fileKey(field: Field, state: State): string | null {
  if (field.length === 0 || field.some(({ kind }) => kind !== 'text' && kind !== 'place')) return null;
  const path = toPath(concat(field), state.cwd[0] ?? START);
  return path.base === 'unknown' ? null : fieldKey(pathField(path));
}
