import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { nacreEnv, runNacre, startNacre } from '../../helpers/nacre-cli.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';

let root: string;
let place: string;
beforeEach(() => {
  root = temporaryDirectory();
  place = join(root, 'empty');
  mkdirSync(place);
});

// Harmless even if it ran: an empty directory, and git is told of a repository that is not there.
const nacre = (args: readonly string[], input?: string) =>
  runNacre(args, {
    env: nacreEnv(root, { GIT_DIR: join(root, 'no-repository') }),
    cwd: place,
    ...(input === undefined ? {} : { input }),
  });

describe('nacre explain', () => {
  test('shows the command with what was found underlined, its parts and the verdict', async () => {
    const { status, stdout } = await nacre(['explain', "touch ran; bash -c 'git add -A'"]);
    expect(status).toBe(126);
    expect(Buffer.from(stdout, 'latin1').toString().split('\n').slice(0, 8)).toEqual([
      "touch ran; bash -c 'git add -A'",
      '                    ^^^^^^^^^^',
      '',
      '  ├─ touch ran',
      "  └─ bash -c 'git add -A'",
      '     └─ git add -A   ← no_blind_git_add: -A means --all',
      '',
      'deny',
    ]);
    expect(readdirSync(place)).toEqual([]);
  });

  test('ends with 0 where a command may run', async () => {
    const { status, stdout } = await nacre(['explain', 'ls']);
    expect([status, Buffer.from(stdout, 'latin1').toString()]).toEqual([0, 'ls\n\n  └─ ls\n\nallow\n']);
  });

  test('takes the words of a command, as nacre run does', async () => {
    const { status, stdout } = await nacre(['explain', 'git', 'add', '-A']);
    expect([status, stdout.split('\n')[0]]).toEqual([126, 'git add -A']);
    expect((await nacre(['explain', 'ls', '-l', 'a b'])).stdout).toMatch(/^ls -l 'a b'\n/);
    expect(await nacre(['explain'])).toMatchObject({ status: 2, stdout: '' });
  });

  test('prints JSON for programs', async () => {
    const { stdout } = await nacre(['explain', '--json', 'git add -A']);
    expect(JSON.parse(stdout)).toMatchObject({
      verdict: 'deny',
      findings: [{ rule: 'no_blind_git_add' }],
      spans: [{ start: 0, end: 10 }],
    });
  });

  test('reads every listed case as JSON lines, and judges each as it is labelled', async () => {
    const cases = readFileSync(join(import.meta.dirname, '../../cases/safety.jsonl'), 'utf8');
    const { status, stdout } = await nacre(['explain', '--jsonl'], cases);
    expect(status).toBe(0);
    const judged = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const labels = cases
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(judged.map(({ verdict }) => (verdict === 'deny' ? 'block' : 'allow'))).toEqual(
      labels.map(({ verdict }) => verdict),
    );
  });

  test('gives a line it cannot take an error, and the others their verdict', async () => {
    const input =
      '{"command":"ls"}\n{"cmd":1}\nnot json\n\n{"command":"git add -A","x":"\u2028"}\n{"command":7}';
    const { status, stdout } = await nacre(['explain', '--jsonl'], input);
    expect(status).toBe(2);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ verdict, error }) => verdict ?? error.message)).toEqual([
      'allow',
      'Line 2 is not a JSON object with a string "command".',
      'Line 3 is not a JSON object with a string "command".',
      'deny',
      'Line 6 is not a JSON object with a string "command".',
    ]);
    expect(lines[3]).toMatchObject({
      rule: 'no_blind_git_add',
      reason: '-A means --all',
      position: { start: 0, end: 10 },
      checks: ['no_blind_git_add'],
    });
  });

  test('answers a line before the next one has come', async () => {
    const env = nacreEnv(root);
    const { child, saw, finished } = startNacre(['explain', '--jsonl'], { env, cwd: place, keepOpen: true });
    child.stdin?.write('{"command":"true"}\n');
    await saw('"verdict":"allow"');
    child.stdin?.end('{"command":"git stage ."}\n');
    expect((await finished).stdout).toContain('"verdict":"deny"');
  });
});

describe('nacre run', () => {
  test.each(['git add -A', 'git push --force', 'rm -rf .git'])(
    'ends with 126 for %s, says why, and runs nothing',
    async (command) => {
      const { status, stderr } = await nacre(['run', `touch ran; ${command}`]);
      expect(status).toBe(126);
      expect(stderr).toContain('permission denied: ');
      expect(readdirSync(place)).toEqual([]);
    },
  );

  test('leaves out a check that the settings turn off', async () => {
    const env = nacreEnv(root, {
      GIT_DIR: join(root, 'no-repository'),
      NACRE_POLICY_CHECKS_NO_BLIND_GIT_ADD: 'off',
    });
    const { status } = await runNacre(['run', 'touch ran; git add -A'], { env, cwd: place });
    expect(status).toBe(128);
    expect(readdirSync(place)).toEqual(['ran']);
  });
});
