import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkBashSyntax } from '../../../src/engine/shell/find-shell.ts';
import {
  type Asking,
  type Bash,
  type BashOptions,
  createBash,
  type Suggestion,
  type TakeOver,
} from '../../../src/index.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';

function open(options: BashOptions): Bash {
  const cwd = temporaryDirectory();
  const bash = createBash({ cwd, session: 's', stateDirectory: join(cwd, 'state'), ...options });
  onTestFinished(() => bash.close());
  return bash;
}

const outcome = async (bash: Bash, command: string) => {
  const { error, run, content } = await bash.call({ command });
  return { id: error?.id ?? null, text: content[0]?.text ?? '', output: run.output.text, notes: run.notes };
};

describe('a command that another tool does better', () => {
  const interceptor = { enabled: true };

  test('is refused with the name of the tool, also as a field', async () => {
    const bash = open({ toolNames: ['read'], policy: { interceptor } });
    const { error, details, content } = await bash.call({ command: 'cat a' });
    expect(error?.id).toBe('blocked_by_policy');
    expect(details).toMatchObject({ suggestedTool: 'read' });
    expect(content[0]?.text).toMatch(/^Blocked: Use the `read` tool[^\n]*\n\nOriginal command: cat a$/);
  });

  test('runs where there is no such tool, and where nobody asked for it', async () => {
    expect((await outcome(open({ policy: { interceptor } }), 'cat /dev/null')).id).toBeNull();
    expect((await outcome(open({ toolNames: ['read'] }), 'cat /dev/null')).id).toBeNull();
  });

  test('is refused behind a leading cd as well', async () => {
    const bash = open({ toolNames: ['read'], policy: { interceptor } });
    expect((await outcome(bash, 'cd . && cat a')).id).toBe('blocked_by_policy');
  });

  test('runs with a note where a warning is enough', async () => {
    const bash = open({ toolNames: ['read'], policy: { interceptor: { enabled: true, mode: 'warn' } } });
    const { id, notes } = await outcome(bash, 'cat /dev/null');
    expect(id).toBeNull();
    expect(notes.join()).toContain('Use the `read` tool');
  });

  test('is handed over where the caller can take it over, alone and behind a leading cd', async () => {
    const seen: Suggestion[] = [];
    const takeOver = (suggestion: Suggestion) => {
      seen.push(suggestion);
      return 'line 1\nline 2\n';
    };
    const interceptor = { enabled: true, mode: 'rewrite' as const, takeOver };
    const bash = open({ toolNames: ['read'], policy: { interceptor } });
    const { content, isError, details, run } = await bash.call({ command: 'cd sub && cat "a b"' });
    expect([content[0]?.text, isError, details]).toEqual([
      'line 1\nline 2\n',
      false,
      { takenOverBy: 'read' },
    ]);
    expect(run).toMatchObject({ runId: null, status: 'exited', exitCode: 0, output: { totalLines: 2 } });
    expect(seen).toMatchObject([{ tool: 'read', command: 'cat "a b"', words: ['cat', 'a b'], cwd: 'sub' }]);
  });

  test('is refused where only a part of it could be taken over, where nobody does, and where that fails', async () => {
    const text = async (takeOver: TakeOver | null, command: string) => {
      const interceptor = { enabled: true, mode: 'rewrite' as const, takeOver };
      return (await outcome(open({ toolNames: ['read'], policy: { interceptor } }), command)).text;
    };
    expect(await text(() => 'never', 'touch x; cat a')).toMatch(/^Blocked: /);
    expect(await text(() => undefined, 'cat a')).toMatch(/^Blocked: /);
    expect(await text(null, 'cat a')).toMatch(/^Blocked: /);
    const fails = () => Promise.reject(new Error('no such file'));
    expect(await text(fails, 'cat a')).toMatch(/^Blocked: .*\nThe suggested tool failed: no such file/);
  });

  test('is found by rules that are checked when the tool is made', () => {
    const rules = [{ pattern: '(', tool: 'x', message: 'm' }];
    expect(() => open({ policy: { interceptor: { enabled: true, rules } } })).toThrow(
      /^Rule interceptor rule 1 \(\(\) is invalid/,
    );
  });
});

describe('a command that requires approval', () => {
  const policy = { approvals: { otherwise: 'ask' as const } };

  test('is refused when nobody is there, and says so', async () => {
    const { id, text } = await outcome(
      open({ policy: { approvals: { otherwise: 'ask', waitMs: 0 } } }),
      'echo ran',
    );
    expect(id).toBe('blocked_by_policy');
    expect(text).toBe(
      'This command requires approval: no rule allows this command\nNo approver is available, so it was not run.',
    );
  });

  test('runs when it is approved, and is asked about again after once', async () => {
    const asked: Asking[] = [];
    const approve = (asking: Asking) => {
      asked.push(asking);
      return 'once' as const;
    };
    const bash = open({ policy, approve });
    expect((await outcome(bash, 'echo ran')).output).toBe('ran\n');
    expect((await outcome(bash, 'echo ran')).output).toBe('ran\n');
    expect(asked).toMatchObject([
      { command: 'echo ran', parts: ['echo ran'], session: 's', always: [{ text: 'echo ran' }] },
      { command: 'echo ran' },
    ]);
  });

  test('is not asked about again after always, and every other command is', async () => {
    let asked = 0;
    const approve = () => {
      asked += 1;
      return 'always' as const;
    };
    const bash = open({ policy, approve });
    await outcome(bash, 'echo one');
    expect((await outcome(bash, 'echo one')).output).toBe('one\n');
    expect(asked).toBe(1);
    await outcome(bash, 'echo two');
    expect(asked).toBe(2);
  });

  test('is refused when the answer is no, or when asking fails', async () => {
    const no = await outcome(open({ policy, approve: () => 'no' }), 'echo ran');
    expect([no.id, no.text.split('\n').at(-1)]).toEqual([
      'blocked_by_policy',
      'It was not approved, so it was not run.',
    ]);
    const approve = () => Promise.reject(new Error('nobody at home'));
    const failed = await outcome(open({ policy, approve }), 'echo ran');
    expect([failed.id, failed.text.split('\n').at(-1)]).toEqual([
      'blocked_by_policy',
      'The approval request failed, so it was not run: nobody at home',
    ]);
  });
});

test('an instance explains a command without running it', async () => {
  const { verdict, parts } = await open({}).explain('echo "$(git add -A)"');
  expect(verdict).toBe('deny');
  expect(parts.map(({ text }) => text)).toContain('git add -A');
});

test('a check that was set to undefined stays on', async () => {
  const checks = { no_blind_git_add: undefined } as unknown as { no_blind_git_add: boolean };
  expect((await open({ policy: { checks } }).explain('git add -A')).verdict).toBe('deny');
});

test('a policy that is off lets every command be', async () => {
  const bash = open({ policy: { enabled: false, approvals: { otherwise: 'deny' } } });
  expect((await outcome(bash, 'echo ran')).output).toBe('ran\n');
});

describe('a line that bash can parse and the policy cannot', () => {
  // More parentheses than the parser follows.
  const unreadable = `git add a; echo $((${'('.repeat(300)}1${')'.repeat(300)}))`;

  test.each([
    ['alone', unreadable],
    ['before a line with a syntax error', `${unreadable}\n)`],
    ['before an unfinished line', `${unreadable}\nif true; then`],
    ['before an unclosed quote', `${unreadable}\necho "a\nb`],
    ['in a nested shell, before a syntax error', `bash -c '${unreadable}\n)'`],
  ])('is refused: %s', async (_name, command) => {
    const { verdict, findings } = await open({}).explain(command);
    expect([verdict, findings.map(({ rule }) => rule)]).toEqual(['deny', ['unreadable']]);
  });

  test.each([
    ['in the same line', `${unreadable}; )`],
    ['in an earlier line', `)\n${unreadable}`],
  ])('is left to bash when bash reports a syntax error %s', async (_name, command) => {
    expect((await open({}).explain(command)).verdict).toBe('allow');
  });
});

test('a bash that crashes during a syntax check gives no answer', () => {
  const shell = join(temporaryDirectory(), 'bash');
  writeFileSync(shell, '#!/bin/sh\necho "line 1: crashed" >&2\nkill -9 $$\n');
  chmodSync(shell, 0o755);
  expect(checkBashSyntax('if', shell)).toBe('unknown');
  expect(checkBashSyntax('if', join(shell, 'missing'))).toBe('unknown');
  expect(checkBashSyntax('echo a\n)\n', '/bin/bash')).toMatchObject({ line: 2 });
  expect(checkBashSyntax('echo a', '/bin/bash')).toBe('valid');
});
