import * as check from '../../../validator.ts';

/** A check for each field that a rule may have. */
export type RuleShape<T> = { readonly [Key in keyof Required<T>]: check.Check };

/** Accepts a string that is not empty. */
export const filledText: check.Check = check.textThat('text that is not empty', (value) => value !== '');

/** Accepts a list of strings. */
export const names: check.Check = { ...check.textList, expected: 'a list of names' };

/** Accepts the examples of a rule. */
export const examples: check.Check = check.mapOf(
  'an object with match and noMatch, lists of commands',
  (list, name) => /^(?:match|noMatch)$/.test(name) && check.textList.accepts(list),
);

interface RulePattern {
  readonly pattern: string;
  readonly flags?: string | undefined;
}

/** Compiles the pattern of a rule; calls `fail` with the problem when it is invalid. */
export function compileRulePattern(
  { pattern, flags = '' }: RulePattern,
  fail: (problem: string) => never,
): RegExp {
  try {
    // Global and sticky patterns keep state between calls of `test`.
    return new RegExp(pattern, flags.replace(/[gy]/g, ''));
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    return fail(`the pattern ${pattern} is not a valid regular expression: ${problem}`);
  }
}
