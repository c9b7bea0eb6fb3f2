import * as check from '../../../validator.ts';

/** A check for each field that a rule may have. */
export type RuleShape<T> = { readonly [Key in keyof Required<T>]: check.Check };

export const textCheck: check.Check = check.text;
export const filledTextCheck: check.Check = check.textThat('text that is not empty', (value) => value !== '');
export const flagCheck: check.Check = check.boolean;
export const wordsCheck: check.Check = {
  expected: 'text or a list of texts',
  accepts: (value): value is string | readonly string[] =>
    check.isText(value) || check.textList.accepts(value),
};
export const namesCheck: check.Check = { ...check.textList, expected: 'a list of names' };
export const functionCheck: check.Check = check.functionOf();
export const oneOfCheck: (...words: readonly string[]) => check.Check = check.oneOf;
export const examplesCheck: check.Check = check.mapOf(
  'an object with match and noMatch, lists of commands',
  (list, name) => /^(?:match|noMatch)$/.test(name) && check.textList.accepts(list),
);

/** Returns the first problem in the form of a rule, or `null`. */
export function findShapeProblem<T>(rule: unknown, shape: RuleShape<T>): string | null {
  return check.findShapeProblem(rule, shape);
}
