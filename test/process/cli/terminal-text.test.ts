import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nacreEnv, runNacre } from '../../helpers/nacre-cli.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';

const BIN = join(import.meta.dirname, '../../../bin/nacre.cjs');

test('escape sequences in a command reach the terminal in no list and no error', async () => {
  const root = temporaryDirectory();
  const nacre = (...args: string[]) => runNacre(args, { env: nacreEnv(root), cwd: root });
  await nacre('run', '--async', 'true \x1b]0;title\x07\x1b[2J');
  for (const args of [['jobs', 'list', '--all'], ['log'], ['artifacts'], ['jobs', 'peek', 'x\x1b[2J']]) {
    const { stdout, stderr } = await nacre(...args);
    expect(stdout + stderr).toContain('[2J');
    expect(stdout + stderr).not.toMatch(/[\x1b\x07]/);
  }
});

test('in a deleted working directory lists work, and run names the directory', () => {
  const root = temporaryDirectory();
  const nacre = (...args: string[]) =>
    spawnSync(
      'bash',
      ['-c', 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"', process.execPath, BIN, ...args],
      {
        cwd: root,
        env: nacreEnv(root),
        encoding: 'utf8',
      },
    );
  expect(nacre('jobs', 'list')).toMatchObject({ status: 0, stderr: '' });
  expect(nacre('run', '--cwd', '/', 'pwd')).toMatchObject({ status: 0, stdout: '/\n' });
  const { status, stderr } = nacre('run', 'true');
  expect(status).toBe(2);
  expect(stderr).toMatch(/^nacre: Working directory does not exist: .*gone\n/);
  expect(stderr).not.toContain('    at ');
});
