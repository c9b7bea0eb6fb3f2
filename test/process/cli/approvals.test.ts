import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { nacreEnv, runNacre, startNacre } from '../../helpers/nacre-cli.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';

let root: string;
beforeEach(() => {
  root = temporaryDirectory();
  mkdirSync(join(root, 'home'));
});

const ASK = { NACRE_POLICY_APPROVALS_OTHERWISE: 'ask' };
const start = (args: readonly string[], more: Readonly<Record<string, string>> = ASK) =>
  startNacre(args, { env: nacreEnv(root, more), cwd: root });
const nacre = async (args: readonly string[]) => {
  const finished = await runNacre(args, { env: nacreEnv(root), cwd: root });
  return { ...finished, stdout: Buffer.from(finished.stdout, 'latin1').toString() };
};

/** Waits until somebody asks. */
async function asked(): Promise<{ id: string; command: string }> {
  return vi.waitFor(
    async () => {
      const [question] = JSON.parse((await nacre(['approvals', '--json'])).stdout);
      if (question === undefined) throw new Error('nobody has asked yet');
      return question;
    },
    { timeout: 45_000, interval: 200 },
  );
}

describe('nacre approvals', () => {
  test('lists what waits, and lets it run', async () => {
    const run = start(['run', 'echo ran | cat']);
    const { id } = await asked();
    const { stdout } = await nacre(['approvals']);
    expect(stdout.split('\n').slice(1)).toEqual([
      '  echo ran | cat',
      '  ^^^^^^^^   ^^^',
      '  why: no rule allows this command',
      '  always: echo ran; cat',
      '',
    ]);
    expect(stdout).toMatch(new RegExp(`^${id} {2}session cli {2}in ${root} {2}[45]m left\n`));
    expect(await nacre(['approvals', 'allow', id.slice(0, 4)])).toMatchObject({
      status: 0,
      stdout: 'allowed: echo ran | cat\n',
    });
    const { status, stdout: printed, stderr } = await run.finished;
    expect([status, printed]).toEqual([0, 'ran\n']);
    expect(stderr).toBe(`nacre: waiting up to 300 s for an approval: nacre approvals allow ${id}\n`);
    expect((await nacre(['approvals'])).stdout).toBe('no pending approvals\n');
  });

  test('denies, with what the model is told', async () => {
    const run = start(['run', '--view', 'echo ran']);
    const { id } = await asked();
    await nacre(['approvals', 'deny', id, '--reason', 'Use printf.']);
    const { status, stdout, stderr } = await run.finished;
    expect(status).toBe(126);
    expect(stdout + stderr).toContain('It was not approved, so it was not run. Use printf.');
  });

  test('stores exactly the words once they are confirmed, lists that, and deletes it', async () => {
    const run = start(['run', 'echo one']);
    const { id } = await asked();
    const unconfirmed = await nacre(['approvals', 'project', id]);
    expect([unconfirmed.status, unconfirmed.stderr]).toEqual([
      2,
      expect.stringContaining(
        `This stores: allow echo one (in ${root}). Repeat the command with --yes to confirm.`,
      ),
    ]);
    expect((await nacre(['approvals', 'rules'])).stdout).toBe('no stored rules\n');
    expect((await nacre(['approvals', 'always', id, '--yes'])).stdout).toBe(
      'allowed: echo one, and again in this session: echo one\n',
    );
    await run.finished;
    const none = { ...ASK, NACRE_POLICY_APPROVALS_WAIT_MS: '0' };
    expect(await start(['run', 'echo one'], none).finished).toMatchObject({ status: 0, stdout: 'one\n' });
    expect(await start(['run', 'echo two'], none).finished).toMatchObject({ status: 126 });
    const [rule] = JSON.parse((await nacre(['approvals', 'rules', '--json'])).stdout);
    expect(rule).toMatchObject({ text: 'echo one', exact: true, scope: 'session', session: 'cli' });
    expect((await nacre(['approvals', 'forget', rule.id])).stdout).toBe('deleted echo one\n');
    expect(await start(['run', 'echo one'], none).finished).toMatchObject({ status: 126 });
  });

  test('watches: a line for each event', async () => {
    const watching = start(['approvals', 'watch', '--json']);
    const run = start(['run', 'echo ran']);
    await watching.saw('"kind":"asked"');
    const { id } = await asked();
    await nacre(['approvals', 'allow', id]);
    await run.finished;
    await watching.saw('"kind":"settled"');
    watching.child.kill('SIGINT');
    const { status, stdout } = await watching.finished;
    expect(status).toBe(130);
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.map(({ kind, question }) => [kind, question.id])).toEqual([
      ['asked', id],
      ['settled', id],
    ]);
  });

  test('says when there is no such question, and how it is used', async () => {
    expect(await nacre(['approvals', 'allow', 'nope'])).toMatchObject({
      status: 1,
      stderr: 'nacre: There is no open question nope.\n',
    });
    expect(await nacre(['approvals', 'allow'])).toMatchObject({ status: 2 });
    expect(await nacre(['approvals', 'perhaps'])).toMatchObject({ status: 2 });
    expect(await nacre(['approvals', 'allow', 'x', '--reason', 'y'])).toMatchObject({ status: 2 });
  });
});

describe('nacre run on a terminal', () => {
  /** Types a line once the question is there, and gives everything the terminal showed. */
  async function onTerminal(command: string, ...lines: readonly string[]): Promise<string> {
    const bin = join(import.meta.dirname, '../../../bin/nacre.cjs');
    const child = spawn('script', ['-qec', `"${process.execPath}" "${bin}" run '${command}'`, '/dev/null'], {
      env: nacreEnv(root, { ...ASK, TERM: 'dumb' }),
      cwd: root,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let shown = '';
    let typed = 0;
    for await (const chunk of child.stdout) {
      shown += String(chunk);
      for (; typed < Math.min(lines.length, shown.split('[N]o ').length - 1); typed += 1)
        child.stdin.write(`${lines[typed]}\n`);
    }
    return shown;
  }

  test('asks there', async () => {
    const shown = await onTerminal('echo ran', 'y');
    expect(shown).toContain('  echo ran\r\n  ^^^^^^^^\r\n  why: no rule allows this command');
    expect(shown).toMatch(
      /Run it\? \[y\]es, \[a\]lways in this session, in this \[p\]roject, \[e\]verywhere, \[N\]o y\r\nran\r\n$/,
    );
  });

  test('stores a rule only after a yes to exactly that rule', async () => {
    const shown = await onTerminal('echo "a b"', 'a', '', 'p', 'y');
    expect(shown).toContain("Stores: allow echo 'a b' (in this session)\r\nStore it? [y]es, [N]o");
    expect(shown).toMatch(
      /Stores: allow echo 'a b' \(in [^)]+\)\r\nStore it\? \[y\]es, \[N\]o y\r\na b\r\n$/,
    );
    const rules = JSON.parse((await nacre(['approvals', 'rules', '--json'])).stdout);
    expect(rules).toMatchObject([{ text: "echo 'a b'", scope: 'project', project: root }]);
  });

  test('tells the model what was said with a no', async () => {
    expect(await onTerminal('echo ran', 'n use printf')).toContain('so it was not run. use printf');
    expect(await onTerminal('echo ran', '')).toContain('It was not approved, so it was not run.');
  });
});

describe('rules in the settings', () => {
  const settings = (value: object): string => {
    const file = join(root, 'config/nacre/settings.json');
    mkdirSync(join(root, 'config/nacre'), { recursive: true });
    writeFileSync(file, JSON.stringify(value));
    return file;
  };

  test('decide', async () => {
    settings({
      policy: { approvals: { rules: [{ action: 'allow', prefix: 'echo' }], otherwise: 'deny' } },
    });
    expect(await start(['run', 'echo ran'], {}).finished).toMatchObject({ status: 0, stdout: 'ran\n' });
    expect(await start(['run', 'true'], {}).finished).toMatchObject({ status: 126 });
  });

  test.each([
    [{ action: 'allow', prefix: 'git', examples: { match: ['ls'] } }, 'it does not match its example: ls'],
    [{ action: 'allow', pattern: '(' }, 'the pattern ( is not a valid regular expression'],
    [{ action: 'allow', prefx: 'git' }, "unknown field 'prefx'. Did you mean 'prefix'?"],
  ])('that cannot work are told at the start, by file and key: %j', async (rule, problem) => {
    const file = settings({ 'policy.approvals.rules': [rule] });
    const { status, stderr } = await start(['run', 'touch ran'], {}).finished;
    expect(status).toBe(125);
    expect(stderr).toContain(
      `${file}:1: policy.approvals.rules: Rule approval rule 1 is invalid: ${problem}`,
    );
  });

  test('of the interceptor are told, too', async () => {
    const file = settings({ bashInterceptor: { patterns: [{ pattern: '(', tool: 'x', message: 'm' }] } });
    const { status, stderr } = await start(['run', 'true'], {}).finished;
    expect(status).toBe(125);
    expect(stderr).toContain(`${file}:1: bashInterceptor.patterns: Rule interceptor rule 1`);
  });

  test('are not a project’s to make', async () => {
    mkdirSync(join(root, '.nacre'));
    writeFileSync(
      join(root, '.nacre/settings.json'),
      JSON.stringify({ 'policy.approvals.rules': [{ action: 'allow', prefix: 'x' }] }),
    );
    mkdirSync(join(root, '.git'));
    expect((await start(['run', 'true'], {}).finished).stderr).toContain('a project may not set');
  });
});
