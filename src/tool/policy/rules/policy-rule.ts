import type { ParsedOption } from '../unwrap/program-options.ts';
import type { CommandPart } from '../values/command-evaluation.ts';
import { toLiteral } from '../values/field.ts';
import type { HostDirectories } from './deletion-danger.ts';

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
  check(part: CommandPart, directories: HostDirectories): string | null;
  /** Commands that the rule must match and must not match; checked when the rule is loaded. */
  readonly examples: { readonly match: readonly string[]; readonly noMatch: readonly string[] };
}

/** Names an option as it was written: `-f in -fu`. */
export function describeOption({ name, word }: ParsedOption, meaning: string): string {
  const written = toLiteral(word) ?? '';
  const own = name.length === 1 ? `-${name}` : `--${name}`;
  if (written === own) return own === meaning ? meaning : `${own} means ${meaning}`;
  return name.length === 1 ? `${own} in ${written} means ${meaning}` : `${written} means ${meaning}`;
}
