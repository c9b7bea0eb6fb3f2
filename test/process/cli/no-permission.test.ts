import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';

/** Nobody, where we are everybody. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

function runIn(cwd: string): { readonly status: number | null; readonly stderr: string } {
  const home = temporaryDirectory();
  chmodSync(home, 0o777);
  const env = { PATH: process.env.PATH, HOME: home, XDG_STATE_HOME: join(home, 'state') };
  return spawnSync(process.execPath, ['bin/nacre.cjs', 'run', '--cwd', cwd, 'pwd'], {
    ...NOBODY,
    env,
    encoding: 'utf8',
  });
}

test('a directory that may not be entered is what the error is about, not the settings in it', () => {
  const place = temporaryDirectory();
  chmodSync(place, 0o755);
  const closed = join(place, 'closed');
  mkdirSync(join(closed, 'inner'), { recursive: true });
  chmodSync(closed, 0o000);
  expect(runIn(closed)).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/cwd: cannot be entered: EACCES.*closed/),
  });
  expect(runIn(join(closed, 'inner'))).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/cwd: cannot be used: EACCES.*inner/),
  });
  chmodSync(closed, 0o700);
});
