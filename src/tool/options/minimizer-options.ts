import { CONDENSER_NAMES, type Condenser } from '../../engine/output/condensers/condenser.ts';
import { NacreError } from '../../errors.ts';
import { describeValue, findNearestName } from '../contract/value-errors.ts';

/** Making the output of noisy commands shorter, when it does not fit. */
export interface MinimizerOptions {
  /**
   * Whether it is done at all. A call says `raw: true` to do without.
   *
   * @default true
   */
  readonly enabled?: boolean;
  /**
   * Only these condensers, by name; empty for all of them.
   *
   * @default []
   */
  readonly only?: readonly string[];
  /**
   * All but these.
   *
   * @default []
   */
  readonly except?: readonly string[];
  /**
   * Condensers of your own. For a command that one of these is for, it takes the place of the built-in one.
   *
   * @default []
   */
  readonly condensers?: readonly CondenserRule[];
}

/** A condenser of your own. */
export interface CondenserRule {
  readonly name: string;
  /** A program, or a program and its first words: `mytool`, `mytool sync`. */
  readonly commands: readonly string[];
  /** Lines that are left out and counted. One that looks like a failure or a warning stays all the same. */
  readonly drop: readonly DropRule[];
  /** Lines that always stay: a regular expression. */
  readonly keep?: string;
}

export interface DropRule {
  /** A regular expression. */
  readonly pattern: string;
  /** `i`, `u` or both. */
  readonly flags?: string;
  /** What such lines are, in the plural: the count says it. */
  readonly what: string;
}

/**
 * Says what is wrong with condensers of one's own, or with names of condensers, as `createBash` would.
 *
 * @throws {NacreError} `rule_invalid`
 */
export function checkMinimizer(minimizer: MinimizerOptions): void {
  toCondensers(minimizer.condensers ?? []);
  checkCondenserNames(minimizer);
}

/**
 * Condensers as somebody wrote them down, checked and ready.
 *
 * @throws {NacreError} `rule_invalid`
 */
export function toCondensers(rules: readonly CondenserRule[]): readonly Condenser[] {
  return rules.map(toCondenser);
}

/**
 * Refuses names that no condenser has.
 *
 * @throws {NacreError} `rule_invalid`
 */
export function checkCondenserNames({ only = [], except = [], condensers = [] }: MinimizerOptions): void {
  const known = [...CONDENSER_NAMES, ...condensers.map(({ name }) => name)];
  for (const [list, names] of Object.entries({ only, except })) {
    const unknown = names.find((name) => !known.includes(name));
    if (unknown === undefined) continue;
    const meant = findNearestName(unknown, known);
    const hint = meant === undefined ? `there are ${known.join(', ')}` : `did you mean ${meant}?`;
    throw invalidCondenser(`minimizer.${list}`, `there is no condenser ${unknown}; ${hint}`);
  }
}

function toCondenser(rule: CondenserRule, index: number): Condenser {
  const place = `minimizer.condensers[${index}]`;
  requireNonEmptyText(rule.name, `${place}.name`);
  requireTextList(rule.commands, `${place}.commands`);
  if (!Array.isArray(rule.drop) || rule.drop.length === 0)
    throw invalidCondenser(`${place}.drop`, `must be a list of rules, got ${describeValue(rule.drop)}`);
  const unknown = Object.keys(rule).find((key) => !['name', 'commands', 'drop', 'keep'].includes(key));
  if (unknown !== undefined) throw invalidCondenser(`${place}.${unknown}`, 'there is no such field');
  return {
    name: rule.name,
    commands: rule.commands,
    rules: rule.drop.map((drop, at) => toCondenserDropRule(drop, `${place}.drop[${at}]`)),
    ...(rule.keep === undefined ? {} : { keep: toDropPattern(rule.keep, '', `${place}.keep`) }),
    ownOutputOnly: true,
  };
}

function toCondenserDropRule(
  drop: DropRule,
  place: string,
): { readonly what: string; readonly pattern: RegExp } {
  if (typeof drop !== 'object' || drop === null)
    throw invalidCondenser(place, `must be an object with pattern and what, got ${describeValue(drop)}`);
  requireNonEmptyText(drop.what, `${place}.what`);
  return { what: drop.what, pattern: toDropPattern(drop.pattern, drop.flags ?? '', `${place}.pattern`) };
}

function toDropPattern(source: unknown, flags: unknown, place: string): RegExp {
  requireNonEmptyText(source, place);
  if (typeof flags !== 'string' || !/^[iu]{0,2}$/.test(flags))
    throw invalidCondenser(`${place} (flags)`, `takes i and u, got ${describeValue(flags)}`);
  try {
    return new RegExp(source, flags);
  } catch (cause) {
    throw invalidCondenser(place, cause instanceof Error ? cause.message : 'is no regular expression');
  }
}

function requireNonEmptyText(value: unknown, place: string): asserts value is string {
  if (typeof value !== 'string' || value.trim() === '')
    throw invalidCondenser(place, `must be a text that is not empty, got ${describeValue(value)}`);
}

function requireTextList(value: unknown, place: string): void {
  if (!Array.isArray(value) || value.length === 0)
    throw invalidCondenser(place, `must be a list of texts, got ${describeValue(value)}`);
  for (const [index, entry] of value.entries()) requireNonEmptyText(entry, `${place}[${index}]`);
}

function invalidCondenser(rule: string, problem: string): NacreError {
  return new NacreError('rule_invalid', { rule, problem });
}
