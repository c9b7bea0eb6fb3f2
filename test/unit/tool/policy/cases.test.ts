import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createPolicy } from '../../../../src/tool/approvals/create-policy.ts';
import { createPrefilter } from '../../../../src/tool/policy/prefilter.ts';

interface Case {
  readonly command: string;
  readonly verdict: 'block' | 'allow';
  readonly check: string | null;
}

// Nothing here runs a command: a policy only reads them.
const policy = createPolicy();
const context = { home: '/home/user', cwd: '/home/user/project' };

function readCases(name: string): readonly Case[] {
  const file = join(import.meta.dirname, '../../../cases', name);
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Case);
}

function isCaught({ command, check }: Case): boolean {
  const { verdict, findings } = policy.judge(command, context);
  return verdict === 'deny' && findings.some(({ rule }) => rule === check);
}

const listed = readCases('safety.jsonl');
const own = readCases('safety-own.jsonl');

describe('every listed case gets the verdict of its label', () => {
  test('those to block are denied by the check that is named', () => {
    const missed = listed.filter((item) => item.verdict === 'block' && !isCaught(item));
    expect(missed).toEqual([]);
  });

  test('those to allow are not denied', () => {
    const alarms = listed.filter(
      ({ command, verdict }) => verdict === 'allow' && policy.judge(command, context).verdict === 'deny',
    );
    expect(alarms).toEqual([]);
  });

  test('both sets are large enough', () => {
    expect(listed.filter(({ verdict }) => verdict === 'block')).toHaveLength(155);
    expect(listed.filter(({ verdict }) => verdict === 'allow')).toHaveLength(134);
  });
});

describe('the measured rates on the larger set do not get worse', () => {
  test('188 of 188 are caught', () => {
    const blocks = own.filter(({ verdict }) => verdict === 'block');
    expect(blocks).toHaveLength(188);
    expect(blocks.filter((item) => !isCaught(item))).toEqual([]);
  });

  test('0 of 202 are false alarms', () => {
    const allows = own.filter(({ verdict }) => verdict === 'allow');
    expect(allows).toHaveLength(202);
    expect(allows.filter(({ command }) => policy.judge(command, context).verdict === 'deny')).toEqual([]);
  });
});

test('the prefilter skips none of the cases to block', () => {
  const couldMatter = createPrefilter([]);
  const through = [...listed, ...own].filter(
    ({ command, verdict }) => verdict === 'block' && !couldMatter(command),
  );
  expect(through).toEqual([]);
});

test('the prefilter skips everyday commands', () => {
  const couldMatter = createPrefilter([]);
  const plain = ['true', 'ls -la', 'npm test', 'git status', 'node build.js && echo done'];
  expect(plain.filter(couldMatter)).toEqual([]);
});

describe('a substitution inside arithmetic is evaluated', () => {
  test.each([
    'echo $(( $(git add -A | wc -l) + 1 ))',
    'x=$(( $(git add -A) ))',
    '(( $(git add -A) ))',
    'git log -$(( $(git add -A) ))',
    'eval "$(( $(git add -A) ))"',
  ])('%s', (command) => {
    expect(policy.judge(command).verdict).toBe('deny');
  });
});

describe('a file written by a subshell is known afterwards', () => {
  test.each([
    "echo 'git add -A' | tee f; . f",
    "echo 'git add -A' | cat > f; bash f",
    "(echo 'git add -A' > f); bash f",
    "x=$(echo 'git add -A' > f); bash f",
    "echo 'git add -A' > f & wait; bash f",
    "bash -c 'echo git add -A > f'; bash f",
    "env X=1 tee f <<< 'git add -A'; bash f",
    "(git config alias.all 'add -A'); git all",
  ])('%s', (command) => {
    expect(policy.judge(command).verdict).toBe('deny');
  });

  test('the variables of a subshell are not', () => {
    expect(policy.judge('(a=-A); git add $a x').verdict).toBe('allow');
  });
});
