/** Directories and names that every script can ask for, whatever they are here. */
export type Place = 'home' | 'start' | 'repository' | 'user';

/** A piece of a word: what is known of it before the command runs. */
export type Atom =
  | { readonly kind: 'text'; readonly text: string }
  /** An unquoted pattern; `deep` stands for everything below a directory. */
  | { readonly kind: 'glob'; readonly text: string; readonly deep?: true }
  | { readonly kind: 'place'; readonly place: Place }
  /** The path that `<( )` becomes, with what can be read from it. */
  | { readonly kind: 'stream'; readonly content: readonly Field[] }
  /** Any of these words, any number of them, in any order: what too many possible values become. */
  | { readonly kind: 'mix'; readonly words: readonly Field[] }
  /** `overflow`: even the words are more than we look at. */
  | { readonly kind: 'unknown'; readonly cause?: 'overflow' };

/** One word of a command, or any other string, in pieces; no pieces is the empty string. */
export type Field = readonly Atom[];

export const UNKNOWN: Field = [{ kind: 'unknown' }];
export const OVERFLOW: Field = [{ kind: 'unknown', cause: 'overflow' }];

export function toField(text: string): Field {
  return text === '' ? [] : [{ kind: 'text', text }];
}

export function placeField(place: Place): Field {
  return [{ kind: 'place', place }];
}

/** The string a field stands for, if it is known to the last character. */
export function literalOf(field: Field | undefined): string | null {
  if (field === undefined) return null;
  if (field.length === 0) return '';
  const [first] = field;
  return field.length === 1 && first?.kind === 'text' ? first.text : null;
}

/** Adds an atom to a list that never holds two texts in a row, nor two pieces that nobody knows. */
export function pushAtom(atoms: Atom[], atom: Atom): void {
  const last = atoms.at(-1);
  if (atom.kind === 'text' && last?.kind === 'text')
    atoms[atoms.length - 1] = { kind: 'text', text: last.text + atom.text };
  else if (atom.kind === 'unknown' && last?.kind === 'unknown')
    atoms[atoms.length - 1] = last.cause === undefined ? atom : last;
  else if (atom.kind !== 'text' || atom.text !== '') atoms.push(atom);
}

export function hasOverflow(field: Field): boolean {
  return field.some((atom) => atom.kind === 'unknown' && atom.cause === 'overflow');
}

const PLACE_NAMES: Readonly<Record<Place, string>> = {
  home: '~',
  start: '$PWD',
  repository: '$(git rev-parse --show-toplevel)',
  user: '$USER',
};

/** For messages: as close to what a person would type as it gets. */
export function renderField(field: Field): string {
  const text = field.map(renderAtom).join('');
  if (text === '') return "''";
  const plain = field.every((atom) => atom.kind !== 'text' || /^[\w@%+=:,./!^-]*$/.test(atom.text));
  return plain ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function renderAtom(atom: Atom): string {
  if (atom.kind === 'text' || atom.kind === 'glob') return atom.text;
  if (atom.kind === 'place') return PLACE_NAMES[atom.place];
  return atom.kind === 'stream' ? '<(…)' : '…';
}

/** Two fields with the same key are the same. */
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
    case 'place':
      return atom.place;
    case 'mix':
      return `mix ${atom.words.map(fieldKey).join('|')}`;
    case 'stream':
      return `stream ${atom.content.map(fieldKey).join('|')}`;
  }
}
