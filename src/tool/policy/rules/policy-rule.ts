import type { OptionSpec } from '../../contract/policy-options.ts';
import type { ParsedOption, ParsedOptions } from '../unwrap/program-options.ts';
import { parseProgramOptions } from '../unwrap/program-options.ts';
import type { CommandPart } from '../values/command-evaluation.ts';
import type { Field } from '../values/field.ts';
import { toLiteral } from '../values/field.ts';
import type { FieldPath } from '../values/field-path.ts';
import { toFieldPath } from '../values/field-path.ts';
import type { HostDirectories } from './deletion-danger.ts';

/** Helper functions available to the checks of rules. */
export interface RuleHelpers {
  readonly surroundings: HostDirectories;
  words(part: CommandPart): readonly (string | null)[];
  /** Parses the words after the name into options and operands. */
  options(part: CommandPart, spec: OptionSpec): ParsedOptions;
  /** Resolves a word as a path from each directory in which the command may run. */
  paths(field: Field, part: CommandPart): readonly FieldPath[];
}

/** A rule that checks every command with one of its names. */
export interface CompiledRule {
  readonly id: string;
  /** Program names without directories; `*` for all. */
  readonly commands: readonly string[];
  /** First line of the message for the model. */
  readonly message: string;
  /** @default 'deny' */
  readonly verdict?: 'deny' | 'ask' | 'warn';
  /** Alternative for the model, in one line. */
  readonly instead?: string;
  /** Returns a short description of the problem, or `null`. */
  check(part: CommandPart, kit: RuleHelpers): string | null;
  /** Commands that the rule must match and must not match; checked when the rule is loaded. */
  readonly examples: { readonly match: readonly string[]; readonly noMatch: readonly string[] };
}

/** Creates the helper functions for rules with the directories of the host. */
export function createRuleHelpers(surroundings: HostDirectories): RuleHelpers {
  return {
    surroundings,
    words: (part) => part.argv.slice(1).map((field) => toLiteral(field)),
    options: (part, spec) => parseProgramOptions(part.argv.slice(1), spec),
    paths: (field, part) => part.cwd.map((from) => toFieldPath(field, from)),
  };
}

/** Names an option as it was written: `-f in -fu`. */
export function describeOption({ name, word }: ParsedOption, meaning: string): string {
  const written = toLiteral(word) ?? '';
  const own = name.length === 1 ? `-${name}` : `--${name}`;
  if (written === own) return own === meaning ? meaning : `${own} means ${meaning}`;
  return name.length === 1 ? `${own} in ${written} means ${meaning}` : `${written} means ${meaning}`;
}
