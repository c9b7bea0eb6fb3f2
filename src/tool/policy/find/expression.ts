import { withGlobs } from '../expand/field-builder.ts';
import type { Field } from '../words/atom.ts';
import { literalOf } from '../words/atom.ts';
import { isBroad } from '../words/pattern.ts';

/** What a file must be like for an action to reach it. */
export interface Condition {
  /** Patterns of which the name or the end of the path matches one. */
  readonly names: readonly Field[];
  /** Whether something else than its name was asked of it. */
  readonly filtered: boolean;
  /** Whether directories are left out. */
  readonly filesOnly: boolean;
}

export interface Action {
  readonly kind: 'delete' | 'exec' | 'print';
  readonly argv: readonly Field[];
  /** Any of these. */
  readonly when: readonly Condition[];
}

const ANYTHING: Condition = { names: [], filtered: false, filesOnly: false };

// More alternatives than this are one that asks for nothing.
const MAX_ALTERNATIVES = 64;

const NAME_TESTS = new Set(['-name', '-iname', '-path', '-ipath', '-wholename', '-iwholename']);
const FILTERS_WITH_VALUE = new Set([
  ...['-regex', '-iregex', '-lname', '-ilname', '-mtime', '-mmin', '-atime', '-amin', '-ctime', '-cmin'],
  ...['-newer', '-anewer', '-cnewer', '-size', '-user', '-group', '-uid', '-gid', '-perm', '-links', '-inum'],
  ...['-samefile', '-fstype', '-used', '-xtype', '-context'],
]);
const FILTERS = new Set(['-empty', '-nouser', '-nogroup', '-false']);
const WITH_VALUE = new Set([
  '-maxdepth',
  '-mindepth',
  '-printf',
  '-regextype',
  '-files0-from',
  '-fls',
  '-fprint',
  '-fprint0',
]);

/** Reads the expression of `find`: which files its actions reach. */
export function readExpression(words: readonly Field[]): readonly Action[] {
  const reader = new Reader(words);
  reader.or([ANYTHING]);
  if (!reader.actions.some(({ kind }) => kind !== 'print'))
    return [{ kind: 'print', argv: [], when: reader.matched.length === 0 ? [ANYTHING] : reader.matched }];
  return reader.actions;
}

class Reader {
  readonly actions: Action[] = [];
  matched: readonly Condition[] = [];
  readonly #words: readonly Field[];
  #at = 0;

  constructor(words: readonly Field[]) {
    this.#words = words;
  }

  /** Gives the conditions under which the expression is true. */
  or(given: readonly Condition[]): readonly Condition[] {
    const all: Condition[] = [];
    do all.push(...this.#and(given));
    while (this.#take('-o', '-or', ','));
    this.matched = all;
    return all.length > MAX_ALTERNATIVES ? [ANYTHING] : all;
  }

  #and(given: readonly Condition[]): readonly Condition[] {
    let conditions = given;
    for (let word = this.#peek(); word !== undefined && !this.#ends(word); word = this.#peek()) {
      if (!this.#take('-a', '-and')) conditions = this.#primary(conditions);
    }
    return conditions;
  }

  #primary(given: readonly Condition[]): readonly Condition[] {
    if (this.#take('!', '-not')) {
      // What a file is not says little about which it is.
      this.#primary([ANYTHING]);
      return given;
    }
    if (this.#take('(')) {
      const inner = this.or(given);
      this.#take(')');
      return inner;
    }
    const word = this.#next();
    return this.#test(literalOf(word) ?? '', given);
  }

  #test(name: string, given: readonly Condition[]): readonly Condition[] {
    if (NAME_TESTS.has(name)) return this.#named(given);
    if (FILTERS_WITH_VALUE.has(name) || /^-newer../.test(name)) return this.#filtered(given, 1);
    if (FILTERS.has(name)) return this.#filtered(given, 0);
    if (name === '-type') return this.#typed(given);
    if (WITH_VALUE.has(name)) this.#next();
    this.#action(name, given);
    return given;
  }

  #named(given: readonly Condition[]): readonly Condition[] {
    const word = this.#next();
    return given.map((condition) => named(condition, word));
  }

  #filtered(given: readonly Condition[], values: number): readonly Condition[] {
    if (values > 0) this.#next();
    return given.map((condition) => ({ ...condition, filtered: true }));
  }

  #typed(given: readonly Condition[]): readonly Condition[] {
    const type = literalOf(this.#next()) ?? '';
    if (type === 'd') return given;
    return given.map((condition) => ({
      ...condition,
      filesOnly: true,
      filtered: condition.filtered || !type.includes('f'),
    }));
  }

  #action(name: string, when: readonly Condition[]): void {
    if (name === '-delete') this.actions.push({ kind: 'delete', argv: [], when });
    if (/^-print0?$/.test(name)) this.actions.push({ kind: 'print', argv: [], when });
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(name)) return;
    const argv: Field[] = [];
    for (let word = this.#next(); word !== undefined; word = this.#next()) {
      const text = literalOf(word);
      if (text === ';' || (text === '+' && literalOf(argv.at(-1)) === '{}')) break;
      argv.push(word);
    }
    this.actions.push({ kind: 'exec', argv, when });
  }

  #ends(word: Field): boolean {
    return ['-o', '-or', ',', ')'].includes(literalOf(word) ?? '');
  }

  #peek(): Field | undefined {
    return this.#words[this.#at];
  }

  #next(): Field | undefined {
    this.#at += 1;
    return this.#words[this.#at - 1];
  }

  #take(...texts: readonly string[]): boolean {
    const word = this.#peek();
    if (word === undefined || !texts.includes(literalOf(word) ?? '\0')) return false;
    this.#at += 1;
    return true;
  }
}

/** The pattern is find's own: quoted for the shell, live for find. */
function named(condition: Condition, word: Field | undefined): Condition {
  if (word === undefined) return condition;
  const text = literalOf(word);
  const pattern = text === null ? word : withGlobs(text);
  return isBroad(pattern) ? condition : { ...condition, names: [...condition.names, pattern] };
}
