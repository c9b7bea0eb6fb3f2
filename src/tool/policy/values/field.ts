/** Values that depend on the host and are represented by name. */
export type SymbolicValue = 'home' | 'start' | 'repository' | 'user';

/** One piece of a word, as far as it is known before the command runs. */
export type Atom =
  | { readonly kind: 'text'; readonly text: string }
  /** An unquoted pattern; `deep` means every path below a directory. */
  | { readonly kind: 'glob'; readonly text: string; readonly deep?: true }
  | { readonly kind: 'symbol'; readonly value: SymbolicValue }
  /** The path of a `<( )` substitution, with the content that can be read from it. */
  | { readonly kind: 'stream'; readonly content: readonly Field[] }
  /** Any number of these words in any order. Replaces a list of alternatives that is too long. */
  | { readonly kind: 'mix'; readonly words: readonly Field[] }
  /** `overflow`: there are too many alternatives to list even as a mix. */
  | { readonly kind: 'unknown'; readonly cause?: 'overflow' };

/** One word of a command or any other string, as a list of pieces. An empty list is the empty string. */
export type Field = readonly Atom[];

/** A field with an unknown value. */
export const UNKNOWN_FIELD: Field = [{ kind: 'unknown' }];
/** A field with too many possible values to list. */
export const OVERFLOW_FIELD: Field = [{ kind: 'unknown', cause: 'overflow' }];

/** Converts a string to a field. */
export function toField(text: string): Field {
  return text === '' ? [] : [{ kind: 'text', text }];
}

/** Returns a field with a symbolic value. */
export function symbolicField(value: SymbolicValue): Field {
  return [{ kind: 'symbol', value }];
}

/** Returns the string of a field; `null` when part of it is unknown. */
export function toLiteral(field: Field | undefined): string | null {
  if (field === undefined) return null;
  if (field.length === 0) return '';
  const [first] = field;
  return field.length === 1 && first?.kind === 'text' ? first.text : null;
}

/** Appends an atom and merges adjacent text atoms and adjacent unknown atoms. */
export function pushAtom(atoms: Atom[], atom: Atom): void {
  const last = atoms.at(-1);
  if (atom.kind === 'text' && last?.kind === 'text')
    atoms[atoms.length - 1] = { kind: 'text', text: last.text + atom.text };
  else if (atom.kind === 'unknown' && last?.kind === 'unknown')
    atoms[atoms.length - 1] = last.cause === undefined ? atom : last;
  else if (atom.kind !== 'text' || atom.text !== '') atoms.push(atom);
}

/** Whether a field contains too many possible values to list. */
export function hasOverflow(field: Field): boolean {
  return field.some((atom) => atom.kind === 'unknown' && atom.cause === 'overflow');
}

const SYMBOLIC_NAMES: Readonly<Record<SymbolicValue, string>> = {
  home: '~',
  start: '$PWD',
  repository: '$(git rev-parse --show-toplevel)',
  user: '$USER',
};

/** Renders a field as shell text for messages. */
export function renderField(field: Field): string {
  const text = field.map(renderAtom).join('');
  if (text === '') return "''";
  const plain = field.every((atom) => atom.kind !== 'text' || /^[\w@%+=:,./!^-]*$/.test(atom.text));
  return plain ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function renderAtom(atom: Atom): string {
  if (atom.kind === 'text' || atom.kind === 'glob') return atom.text;
  if (atom.kind === 'symbol') return SYMBOLIC_NAMES[atom.value];
  return atom.kind === 'stream' ? '<(…)' : '…';
}

/** Joins fields with a separator. */
export function joinFields(fields: readonly Field[], separator: Field = toField(' ')): Field {
  return concatFields(...fields.flatMap((field, index) => (index === 0 ? [field] : [separator, field])));
}

/** Applies `${x^^}`, `${x,,}`, `${x^}` or `${x,}`. */
export function changeLetterCase(field: Field, operator: string): Field {
  const text = toLiteral(field);
  if (text === null) return field;
  const change = (part: string): string =>
    operator.startsWith('^') ? part.toUpperCase() : part.toLowerCase();
  return toField(operator.length === 2 ? change(text) : change(text.charAt(0)) + text.slice(1));
}

/** Converts a text to a script that runs the substitutions in it and nothing else. */
export function toSubstitutionScript(text: Field): Field {
  return concatFields(toField(': <<_\n'), text, toField('\n_\n'));
}

/** Returns a key that is equal for equal fields. */
export function fieldKey(field: Field): string {
  let key = '';
  for (const atom of field) key += atom.kind === 'text' ? atom.text : `\u0000${atomKey(atom)}\u0000`;
  return key;
}

function atomKey(atom: Exclude<Atom, { kind: 'text' }>): string {
  switch (atom.kind) {
    case 'unknown':
      return atom.cause ?? '?';
    case 'glob':
      return atom.deep ? `deep ${atom.text}` : `glob ${atom.text}`;
    case 'symbol':
      return atom.value;
    case 'mix':
      return `mix ${atom.words.map(fieldKey).join('|')}`;
    case 'stream':
      return `stream ${atom.content.map(fieldKey).join('|')}`;
  }
}

/** Concatenates fields; adjacent texts are merged, and a mix absorbs its neighbours. */
export function concatFields(...fields: readonly Field[]): Field {
  const atoms: Atom[] = [];
  for (const field of fields) for (const atom of field) pushAtom(atoms, atom);
  return flattenMix(atoms);
}

/** Converts a field that contains a mix to a single mix of all words it can contain. */
export function flattenMix(atoms: Field): Field {
  if (atoms.length < 2 || !atoms.some(({ kind }) => kind === 'mix')) return atoms;
  const largest = Math.max(...atoms.map((atom) => (atom.kind === 'mix' ? atom.words.length : 0)));
  const mix: MixState = { words: [], open: [[]] };
  for (const atom of atoms) {
    addToMix(atom, mix);
    if (mix.open.length > Math.max(MAX_MIX_BEGINNINGS, 2 * largest + 2)) return OVERFLOW_FIELD;
  }
  return toMix([...mix.words, ...mix.open]);
}

interface MixState {
  readonly words: Field[];
  /** Possible beginnings of the unfinished word. */
  open: readonly Field[];
}

function addToMix(atom: Atom, mix: MixState): void {
  const { words, open } = mix;
  if (atom.kind === 'text') {
    const [head = '', ...rest] = atom.text.split(/\s+/);
    mix.open = open.map((start) => appendField(start, toField(head)));
    const last = rest.pop();
    if (last === undefined) return;
    words.push(...mix.open, ...rest.map(toField));
    mix.open = [toField(last)];
  } else if (atom.kind === 'mix') {
    words.push(...atom.words);
    const joined = open.flatMap((start) => atom.words.map((word) => appendField(start, word)));
    mix.open = [...open, ...atom.words, ...joined];
  } else mix.open = open.map((start) => [...start, atom]);
}

function appendField(start: Field, end: Field): Field {
  const atoms = [...start];
  for (const atom of end) pushAtom(atoms, atom);
  return atoms;
}

// Limits for the words of a mix and for the combinations of two adjacent mixes.
const MAX_MIX_WORDS = 1_024;
const MAX_MIX_BEGINNINGS = 32;

/** Maximum size of a mix stored in a variable. Without it a mix could grow with each loop pass. */
export const MAX_STORED_MIX = 24;

/** Converts alternatives to one mix of the words they contain. */
export function toMix(fields: readonly Field[], limit: number = MAX_MIX_WORDS): Field {
  const words = new Map<string, Field>();
  for (const field of fields) for (const word of splitWords(field)) words.set(fieldKey(word), word);
  if (words.size > limit) return OVERFLOW_FIELD;
  return words.size === 0 ? [] : [{ kind: 'mix', words: [...words.values()] }];
}

/** Splits a field into words at white space; a mix returns its words. */
export function splitWords(field: Field): readonly Field[] {
  const [first] = field;
  if (first?.kind === 'mix' && field.length === 1) return first.words;
  return splitAt(field, /\s+/).filter((word) => word.length > 0);
}

/** Removes duplicates; more than `limit` fields become one mix. */
export function distinctFields(fields: readonly Field[], limit: number): readonly Field[] {
  if (fields.length < 2) return fields;
  const byKey = new Map<string, Field>();
  for (const field of fields) byKey.set(fieldKey(field), field);
  return byKey.size > limit ? [toMix([...byKey.values()], MAX_STORED_MIX)] : [...byKey.values()];
}

/** Splits a text into lines without line ends; an empty last line is dropped. */
export function splitLines(text: Field): readonly Field[] {
  return splitAt(text, '\n').filter((line, index, all) => line.length > 0 || index < all.length - 1);
}

/** Splits a text at a separator. */
export function splitAt(text: Field, separator: string | RegExp): readonly Field[] {
  const pieces: Atom[][] = [[]];
  for (const atom of text) {
    if (atom.kind !== 'text') {
      pieces.at(-1)?.push(atom);
      continue;
    }
    const [head = '', ...rest] = atom.text.split(separator);
    pushAtom(pieces.at(-1) ?? [], { kind: 'text', text: head });
    for (const piece of rest) pieces.push([...toField(piece)]);
  }
  return pieces;
}

/** Splits a text at any of the separators and drops empty pieces, as `read` does. */
export function splitFields(text: Field, separators: string): readonly Field[] {
  let pieces: readonly Field[] = [text];
  for (const separator of separators) pieces = pieces.flatMap((piece) => splitAt(piece, separator));
  return pieces.filter((piece) => piece.length > 0);
}

/** Removes trailing line ends, as `$( )` does. */
export function trimLineEnds(text: Field): Field {
  const last = text.at(-1);
  if (last?.kind !== 'text') return text;
  const trimmed = last.text.replace(/\n+$/, '');
  return trimmed === ''
    ? trimLineEnds(text.slice(0, -1))
    : [...text.slice(0, -1), { kind: 'text', text: trimmed }];
}

/** Removes NUL characters, which bash drops from the output of `$( )` and from scripts. */
export function withoutNul(text: Field): Field {
  return text.some((atom) => atom.kind === 'text' && atom.text.includes('\0'))
    ? concatFields(...splitAt(text, '\0'))
    : text;
}
