import { CONDENSER_NAMES, type Condenser } from '../../engine/output/condensers/condenser.ts';
import { NacreError } from '../../errors.ts';
import * as check from '../../validator.ts';

/** Options for condensing output of known commands that does not fit. */
export interface MinimizerOptions {
  /**
   * Whether output is condensed. `raw: true` in a call turns it off for that call.
   *
   * @default true
   */
  readonly enabled?: boolean;
  /**
   * Names of the condensers to use; empty for all of them.
   *
   * @default []
   */
  readonly only?: readonly string[];
  /**
   * Names of condensers not to use.
   *
   * @default []
   */
  readonly except?: readonly string[];
  /**
   * Further condensers. For its commands, such a condenser replaces the built-in one.
   *
   * @default []
   */
  readonly condensers?: readonly CondenserRule[];
}

/** A condenser that a user or program defines. */
export interface CondenserRule {
  readonly name: string;
  /** A program, or a program and its first arguments: `mytool`, `mytool sync`. */
  readonly commands: readonly string[];
  /** Lines to omit and count. A line that looks like a failure or a warning is never omitted. */
  readonly drop: readonly DropRule[];
  /** A regular expression for lines that are never omitted. */
  readonly keep?: string;
}

/** Lines that a condenser omits. */
export interface DropRule {
  /** A regular expression. */
  readonly pattern: string;
  /** `i`, `u` or both. */
  readonly flags?: string;
  /** A plural noun for these lines, shown with their count. */
  readonly what: string;
}

/**
 * Rejects invalid condensers and unknown condenser names, as `createBash` does.
 *
 * @throws {NacreError} `rule_invalid`
 */
export function checkMinimizer({ only = [], except = [], condensers = [] }: MinimizerOptions): void {
  toCondensers(condensers);
  const known = [...CONDENSER_NAMES, ...condensers.map(({ name }) => name)];
  for (const [list, names] of Object.entries({ only, except })) {
    const unknown = names.find((name) => !known.includes(name));
    if (unknown === undefined) continue;
    const hint = check.didYouMean(unknown, known) || ` Available condensers: ${known.join(', ')}.`;
    throw invalidCondenser(`minimizer.${list}`, `Unknown condenser '${unknown}'.${hint}`);
  }
}

/**
 * Compiles condensers from options or settings.
 *
 * @throws {NacreError} `rule_invalid`
 */
export function toCondensers(rules: readonly CondenserRule[]): readonly Condenser[] {
  return rules.map(toCondenser);
}

const filledText = check.nonEmptyText;
const textsOf: check.Check<readonly string[]> = {
  expected: 'a list of texts that are not empty',
  accepts: (value): value is readonly string[] =>
    Array.isArray(value) && value.length > 0 && value.every((entry) => filledText.accepts(entry)),
};
const CONDENSER_SHAPE: check.Shape = {
  name: filledText,
  commands: textsOf,
  drop: {
    expected: 'a list of rules',
    accepts: (value): value is readonly unknown[] => Array.isArray(value) && value.length > 0,
  },
  keep: filledText,
};
const DROP_RULE_SHAPE: check.Shape = {
  pattern: filledText,
  flags: check.textThat('i, u or both', (flags) => /^[iu]{0,2}$/.test(flags)),
  what: filledText,
};

function toCondenser(rule: CondenserRule, index: number): Condenser {
  const path = `minimizer.condensers[${index}]`;
  const problem = check.findShapeProblem(rule, CONDENSER_SHAPE, ['name', 'commands', 'drop']);
  if (problem !== null) throw invalidCondenser(path, problem);
  return {
    name: rule.name,
    commands: rule.commands,
    rules: rule.drop.map((drop, at) => toCondenserDropRule(drop, `${path}.drop[${at}]`)),
    ...(rule.keep === undefined ? {} : { keep: toRegExp(rule.keep, '', `${path}.keep`) }),
    ownOutputOnly: true,
  };
}

function toCondenserDropRule(
  drop: DropRule,
  path: string,
): { readonly what: string; readonly pattern: RegExp } {
  const problem = check.findShapeProblem(drop, DROP_RULE_SHAPE, ['pattern', 'what']);
  if (problem !== null) throw invalidCondenser(path, problem);
  return { what: drop.what, pattern: toRegExp(drop.pattern, drop.flags ?? '', `${path}.pattern`) };
}

function toRegExp(source: string, flags: string, path: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch (cause) {
    throw invalidCondenser(path, cause instanceof Error ? cause.message : 'invalid regular expression');
  }
}

function invalidCondenser(rule: string, problem: string): NacreError {
  return new NacreError('rule_invalid', { rule, problem });
}
