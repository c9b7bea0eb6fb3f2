import type { Part } from '../state/machine.ts';
import type { Option, OptionSpec, Options } from '../unwrap/options.ts';
import { parseOptions } from '../unwrap/options.ts';
import type { Field } from '../words/atom.ts';
import { literalOf } from '../words/atom.ts';
import type { Path } from '../words/path.ts';
import { toPath } from '../words/path.ts';
import type { Surroundings } from './danger.ts';

/** What a rule may ask about a command. */
export interface RuleKit {
  readonly surroundings: Surroundings;
  /** The words after the name as strings; `null` for a word that is not known. */
  words(part: Part): readonly (string | null)[];
  /** Reads the words after the name as options and operands. */
  options(part: Part, spec: OptionSpec): Options;
  /** Where a word leads to, seen from each directory the command may run in. */
  paths(field: Field, part: Part): readonly Path[];
}

/** Looks at every command of some names, wherever it stands and however it is spelled. */
export interface Rule {
  readonly id: string;
  /** Names of programs, without directories; `*` for all. */
  readonly commands: readonly string[];
  /** The first line of what the model is told. */
  readonly message: string;
  /** @default 'deny' */
  readonly verdict?: 'deny' | 'ask' | 'warn';
  /** What to do instead, in one line. */
  readonly instead?: string;
  /** Says what is wrong, in a few words, or gives `null`. */
  check(part: Part, kit: RuleKit): string | null;
  /** Tried when the rule is loaded: a rule that fails its own examples is refused. */
  readonly examples: { readonly match: readonly string[]; readonly noMatch: readonly string[] };
}

export function createKit(surroundings: Surroundings): RuleKit {
  return {
    surroundings,
    words: (part) => part.argv.slice(1).map((field) => literalOf(field)),
    options: (part, spec) => parseOptions(part.argv.slice(1), spec),
    paths: (field, part) => part.cwd.map((from) => toPath(field, from)),
  };
}

/** Names an option the way it was written: `-f in -fu`. */
export function spelled({ name, word }: Option, meaning: string): string {
  const written = literalOf(word) ?? '';
  const own = name.length === 1 ? `-${name}` : `--${name}`;
  if (written === own) return own === meaning ? meaning : `${own} means ${meaning}`;
  return name.length === 1 ? `${own} in ${written} means ${meaning}` : `${written} means ${meaning}`;
}
