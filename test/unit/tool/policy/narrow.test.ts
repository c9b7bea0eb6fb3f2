import { describe, expect, test } from 'vitest';
import { createPolicy } from '../../../../src/tool/approvals/create-policy.ts';

const policy = createPolicy();
const verdict = (command: string): string => policy.judge(command).verdict;
// Deletes a directory named by a variable; when the variable is empty, that is the root.
const deletes = 'rm -r "$x/"';

describe('a test that a variable is not empty applies to the commands after it', () => {
  test.each([
    `x=; [ -f a ] && x=build; if [ -n "$x" ]; then ${deletes}; fi`,
    `x=; [ -f a ] && x=build; if [ "$x" ]; then ${deletes}; fi`,
    `x=; [ -f a ] && x=build; [ -n "\${x}" ] && ${deletes}`,
    `x=; [ -f a ] && x=build; if [[ -n $x ]]; then ${deletes}; fi`,
    `x=; [ -f a ] && x=build; test "$x" && ${deletes}`,
  ])('%s', (command) => {
    expect(verdict(command)).toBe('allow');
  });

  test.each([
    `x=; [ -f a ] && x=build; ${deletes}`,
    `x=; [ -f a ] && x=build; if [ -n "$x" ]; then :; else ${deletes}; fi`,
    `x=; [ -f a ] && x=build; [ -n "$x" ] || ${deletes}`,
    `x=; if [ -n "$x" ]; then ${deletes}; fi`,
    `x=; y=b; [ -f a ] && x=build; if [ -n "$y" ]; then ${deletes}; fi`,
  ])('but not elsewhere: %s', (command) => {
    expect(verdict(command)).toBe('deny');
  });
});
