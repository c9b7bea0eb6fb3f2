import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createPolicy } from '../../../../src/tool/approvals/create-policy.ts';
import { createPrefilter } from '../../../../src/tool/policy/prefilter.ts';

interface Case {
  readonly command: string;
  readonly verdict: 'block' | 'allow';
}

// Nothing here runs a command: a policy only reads them.
const policy = createPolicy();
const context = { home: '/home/user', cwd: '/home/user/project' };
const cases = readFileSync(join(import.meta.dirname, '../../../cases/safety-families.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Case);
const judged = (verdict: Case['verdict']): readonly Case[] =>
  cases.filter((item) => item.verdict === verdict);
const isDenied = ({ command }: Case): boolean => policy.judge(command, context).verdict === 'deny';

describe('families of spellings of one command, and of commands that only look like it', () => {
  test('both sets are large enough', () => {
    expect([judged('block').length > 500, judged('allow').length > 350]).toEqual([true, true]);
  });

  test('every spelling is denied', () => {
    expect(judged('block').filter((item) => !isDenied(item))).toEqual([]);
  });

  test('no other command is denied', () => {
    expect(judged('allow').filter(isDenied)).toEqual([]);
  });

  test('the prefilter passes all of them to the parser', () => {
    const couldMatter = createPrefilter([]);
    expect(judged('block').filter(({ command }) => !couldMatter(command))).toEqual([]);
  });
});
