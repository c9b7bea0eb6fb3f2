import { renderPart } from '../judge/render-part.ts';
import type { Part } from '../state/machine.ts';
import type { OptionSpec } from '../unwrap/options.ts';
import { parseOptions } from '../unwrap/options.ts';
import { literalOf, renderField } from '../words/atom.ts';
import { pathField } from '../words/path.ts';
import type { Rule } from './rule.ts';

/** A simple command that would run, with its words as far as they are known. */
export interface Invocation {
  /** Without directories: `/usr/bin/kubectl` is `kubectl`. `null` when nobody knows. */
  readonly name: string | null;
  /** The words after the name; `null` for one that is known only when it runs. */
  readonly words: readonly (string | null)[];
  /** As a person would type it. */
  readonly text: string;
  /** From the outside in: `sudo`, `bash -c`. */
  readonly via: readonly string[];
  /** The directories it may run in: `$PWD` for where it starts, `~` for home, `…` for what nobody knows. */
  readonly cwd: readonly string[];
  /** Variables assigned for this command alone. */
  readonly assigned: readonly string[];
  /** Files that its output is written to. */
  readonly writes: readonly string[];
  /** Whether it reads from a pipe. */
  readonly piped: boolean;
  /** Reads the words as options and operands: clusters, abbreviations, `--`, options after operands. */
  options(spec?: OptionSpec): InvocationOptions;
}

export interface InvocationOptions {
  /** Whether one of these is given: `has('f', 'force')`. */
  has(...names: readonly string[]): boolean;
  /** The last value of one of these; `null` when it is known only when it runs, `undefined` when it is not given. */
  value(...names: readonly string[]): string | null | undefined;
  readonly operands: readonly (string | null)[];
}

/** A rule of one's own. It sees every command of the names it is about, wherever it stands and however it is spelled. */
export interface PolicyRule {
  /** Names it in refusals, in the log and in `explain`. */
  readonly id: string;
  /** Names of programs, without directories; `*` for all. */
  readonly commands: readonly string[];
  /** The first line of what the model is told. */
  readonly message: string;
  /**
   * What happens to a command that it matches: refused, asked about, or run with a note.
   *
   * @default 'deny'
   */
  readonly verdict?: 'deny' | 'ask' | 'warn';
  /** What to do instead, in one line. */
  readonly instead?: string;
  /** Says what is wrong, in a few words, or `null`. One that throws counts as a match. */
  readonly check: (invocation: Invocation) => string | null | undefined;
  /** Tried when the rule is loaded: a rule that fails one of them is an error that names it. */
  readonly examples: { readonly match: readonly string[]; readonly noMatch?: readonly string[] };
}

/** Gives a rule its type; what is wrong with it is said when a policy is made of it. */
export function defineRule(rule: PolicyRule): PolicyRule {
  return rule;
}

/** A rule of one's own as the policy knows rules. */
export function toRule(rule: PolicyRule): Rule {
  const { check, examples } = rule;
  return {
    ...rule,
    check: (part) => check(toInvocation(part)) ?? null,
    examples: { match: examples.match, noMatch: examples.noMatch ?? [] },
  };
}

function toInvocation(part: Part): Invocation {
  const { name, argv, via, assigned, piped } = part;
  const words = argv.slice(1);
  return {
    name,
    words: words.map((word) => literalOf(word)),
    text: renderPart(part),
    via,
    cwd: part.cwd.map((path) => renderField(pathField(path))),
    assigned,
    writes: part.writes.map(({ target }) => literalOf(target) ?? renderField(target)),
    piped,
    options: (spec = { permute: true }) => {
      const { options, operands } = parseOptions(words, spec);
      const find = (names: readonly string[]) => options.findLast((option) => names.includes(option.name));
      return {
        has: (...names) => find(names) !== undefined,
        value: (...names) => {
          const found = find(names);
          return found?.value === undefined ? undefined : literalOf(found.value);
        },
        operands: operands.map((word) => literalOf(word)),
      };
    },
  };
}
