import type { Condenser } from '../../engine/output/minimise/condenser.ts';
import { CONDENSER_NAMES } from '../../engine/output/minimise/condenser-names.ts';
import { NacreError } from '../../errors.ts';
import { describeValue } from '../input/describe-value.ts';
import { nearestName } from '../input/nearest-name.ts';
import type { CondenserRule, DropRule, MinimizerOptions } from '../options/minimizer-options.ts';

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
export function checkNames({ only = [], except = [], condensers = [] }: MinimizerOptions): void {
  const known = [...CONDENSER_NAMES, ...condensers.map(({ name }) => name)];
  for (const [list, names] of Object.entries({ only, except })) {
    const unknown = names.find((name) => !known.includes(name));
    if (unknown === undefined) continue;
    const meant = nearestName(unknown, known);
    const hint = meant === undefined ? `there are ${known.join(', ')}` : `did you mean ${meant}?`;
    throw invalid(`minimizer.${list}`, `there is no condenser ${unknown}; ${hint}`);
  }
}

function toCondenser(rule: CondenserRule, index: number): Condenser {
  const place = `minimizer.condensers[${index}]`;
  requireText(rule.name, `${place}.name`);
  requireTexts(rule.commands, `${place}.commands`);
  if (!Array.isArray(rule.drop) || rule.drop.length === 0)
    throw invalid(`${place}.drop`, `must be a list of rules, got ${describeValue(rule.drop)}`);
  const unknown = Object.keys(rule).find((key) => !['name', 'commands', 'drop', 'keep'].includes(key));
  if (unknown !== undefined) throw invalid(`${place}.${unknown}`, 'there is no such field');
  return {
    name: rule.name,
    commands: rule.commands,
    rules: rule.drop.map((drop, at) => toRule(drop, `${place}.drop[${at}]`)),
    ...(rule.keep === undefined ? {} : { keep: toPattern(rule.keep, '', `${place}.keep`) }),
    own: true,
  };
}

function toRule(drop: DropRule, place: string): { readonly what: string; readonly pattern: RegExp } {
  if (typeof drop !== 'object' || drop === null)
    throw invalid(place, `must be an object with pattern and what, got ${describeValue(drop)}`);
  requireText(drop.what, `${place}.what`);
  return { what: drop.what, pattern: toPattern(drop.pattern, drop.flags ?? '', `${place}.pattern`) };
}

function toPattern(source: unknown, flags: unknown, place: string): RegExp {
  requireText(source, place);
  if (typeof flags !== 'string' || !/^[iu]{0,2}$/.test(flags))
    throw invalid(`${place} (flags)`, `takes i and u, got ${describeValue(flags)}`);
  try {
    return new RegExp(source, flags);
  } catch (cause) {
    throw invalid(place, cause instanceof Error ? cause.message : 'is no regular expression');
  }
}

function requireText(value: unknown, place: string): asserts value is string {
  if (typeof value !== 'string' || value.trim() === '')
    throw invalid(place, `must be a text that is not empty, got ${describeValue(value)}`);
}

function requireTexts(value: unknown, place: string): void {
  if (!Array.isArray(value) || value.length === 0)
    throw invalid(place, `must be a list of texts, got ${describeValue(value)}`);
  for (const [index, entry] of value.entries()) requireText(entry, `${place}[${index}]`);
}

function invalid(rule: string, problem: string): NacreError {
  return new NacreError('rule_invalid', { rule, problem });
}
