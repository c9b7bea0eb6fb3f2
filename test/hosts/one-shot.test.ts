import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nacreEnv, runNacre } from '../helpers/nacre-cli.ts';
import { removeDirectory } from '../helpers/remove-directory.ts';
import { isSkipped } from './bench.ts';
import { type Sshd, startSshd } from './sshd.ts';

/**
 * A process that runs one command on another host and exits leaves only the leftover processes of the command.
 */
describe.each(['sandbox', 'ssh'] as const)('one command on %s', (name) => {
  const [root, work] = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'nacre-test-'))) as [string, string];
  const env = nacreEnv(root);
  let sshd: Sshd | undefined;
  beforeAll(async () => {
    if (name !== 'ssh' || isSkipped(name)) return;
    sshd = await startSshd();
    mkdirSync(join(root, 'config/nacre'), { recursive: true });
    const hosts = { box: { ...sshd.box, directory: work } };
    writeFileSync(join(root, 'config/nacre/settings.json'), JSON.stringify({ hosts }));
  });
  afterAll(() => {
    sshd?.stop();
    for (const directory of [root, work]) removeDirectory(directory);
  });

  const it = test.skipIf(isSkipped(name));
  const host = name === 'ssh' ? 'box' : name;
  const on = (...words: string[]) =>
    runNacre(['run', '--host', host, ...(name === 'ssh' ? [] : ['--cwd', work]), ...words], {
      env,
      input: 'some input\n',
    });
  const sandboxes = () => {
    const directory = join(root, 'state/nacre/sandboxes');
    return existsSync(directory) ? readdirSync(directory) : [];
  };

  it('the first one on a new machine ends as it ended, with both streams', async () => {
    expect(await on('echo out; echo err >&2; cat; exit 4')).toEqual({
      status: 4,
      stdout: 'out\nsome input\n',
      stderr: 'err\n',
    });
  });

  it('what it leaves behind goes on, is named once, and nothing of ours outlives it', async () => {
    const { stderr } = await on('mkfifo pipe; (read -r <pipe; echo gone >went) & echo bg');
    expect(stderr).toMatch(/^nacre: [^,]* is still running as job \w+; .*nacre jobs kill \w+$/m);
    expect(existsSync(join(work, 'went'))).toBe(false);
    writeFileSync(join(work, 'pipe'), 'go\n');
    await expect.poll(() => existsSync(join(work, 'went')), { timeout: 20_000 }).toBe(true);
    await expect.poll(() => whoIsIn(root), { timeout: 20_000 }).toEqual([]);
    await expect.poll(sandboxes, { timeout: 20_000 }).toEqual([]);
  });

  it('a directory that is not there leaves nobody who waits', async () => {
    const { status, stderr } = await on('--cwd', '/surely/not/there', 'cat');
    expect([status, stderr]).toEqual([2, 'nacre: Working directory does not exist: /surely/not/there\n']);
    await expect.poll(() => whoIsIn(root), { timeout: 20_000 }).toEqual([]);
    await expect.poll(sandboxes, { timeout: 20_000 }).toEqual([]);
  });
});

function whoIsIn(directory: string): string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(directory);
    } catch {
      return false;
    }
  });
}
