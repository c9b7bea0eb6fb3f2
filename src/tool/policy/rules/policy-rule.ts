import type { OptionSpec } from '../../contract/policy-options.ts';
import type { ParsedOption, ParsedOptions } from '../unwrap/program-options.ts';
import { parseProgramOptions } from '../unwrap/program-options.ts';
import type { CommandPart } from '../values/command-evaluation.ts';
import type { Field } from '../values/field.ts';
import { toLiteral } from '../values/field.ts';
import type { FieldPath } from '../values/field-path.ts';
import { toFieldPath } from '../values/field-path.ts';
import type { HostDirectories } from './deletion-danger.ts';

/** What a rule may ask about a command. */
export interface RuleHelpers {
  readonly surroundings: HostDirectories;
  /** The words after the name as strings; `null` for a word that is not known. */
  words(part: CommandPart): readonly (string | null)[];
  /** Reads the words after the name as options and operands. */
  options(part: CommandPart, spec: OptionSpec): ParsedOptions;
  /** Where a word leads to, seen from each directory the command may run in. */
  paths(field: Field, part: CommandPart): readonly FieldPath[];
}

/** Looks at every command of some names, wherever it stands and however it is spelled. */
export interface CompiledRule {
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
  check(part: CommandPart, kit: RuleHelpers): string | null;
  /** Tried when the rule is loaded: a rule that fails its own examples is refused. */
  readonly examples: { readonly match: readonly string[]; readonly noMatch: readonly string[] };
}

export function createRuleHelpers(surroundings: HostDirectories): RuleHelpers {
  return {
    surroundings,
    words: (part) => part.argv.slice(1).map((field) => toLiteral(field)),
    options: (part, spec) => parseProgramOptions(part.argv.slice(1), spec),
    paths: (field, part) => part.cwd.map((from) => toFieldPath(field, from)),
  };
}

/** Names an option the way it was written: `-f in -fu`. */
export function describeOption({ name, word }: ParsedOption, meaning: string): string {
  const written = toLiteral(word) ?? '';
  const own = name.length === 1 ? `-${name}` : `--${name}`;
  if (written === own) return own === meaning ? meaning : `${own} means ${meaning}`;
  return name.length === 1 ? `${own} in ${written} means ${meaning}` : `${written} means ${meaning}`;
}
