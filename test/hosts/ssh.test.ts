import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RunStore } from '../../src/engine/run/record/store.ts';
import { createBash } from '../../src/index.ts';
import { temporaryDirectory } from '../helpers/temporary-directory.ts';
import { isSkipped, useHost } from './bench.ts';

describe.skipIf(isSkipped('ssh'))('ssh', () => {
  const { ask, start, sshd, workspace } = useHost('ssh');

  test('another host key is not accepted', async () => {
    const { box, port, directory } = sshd();
    const wrong = join(directory, 'wrong');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(directory, 'other')]);
    const [type, key] = readFileSync(join(directory, 'other.pub'), 'utf8').split(' ');
    writeFileSync(wrong, `[127.0.0.1]:${port} ${type} ${key}\n`);
    const options = [`UserKnownHostsFile=${wrong}`, ...(box.options ?? []).slice(1)];
    const bash = createBash({
      stateDirectory: temporaryDirectory(),
      host: 'box',
      hosts: { box: { ...box, options } },
    });
    const { error, run } = await bash.call({ command: 'touch /tmp/nacre-never' });
    expect([run.status, error?.id]).toEqual(['refused', 'host_unreachable']);
    expect(error?.message).toContain('verification failed');
    await bash.close();
  });

  test('who could not be reached leaves nobody here who goes on trying', async () => {
    const stateDirectory = temporaryDirectory();
    const bash = createBash({ stateDirectory, host: 'ssh:nobody@127.0.0.1.invalid' });
    const { error } = await bash.call({ command: 'true' }, { streams: 'apart' });
    expect(error?.id).toBe('host_unreachable');
    await bash.close();
    await expect.poll(() => whoIsIn(stateDirectory), { timeout: 10_000 }).toEqual([]);
  });

  test('nobody at the other end is said at once', async () => {
    const bash = createBash({ stateDirectory: temporaryDirectory(), host: 'ssh:nobody@127.0.0.1.invalid' });
    const { error } = await bash.call({ command: 'true' });
    expect(error?.id).toBe('host_unreachable');
    await bash.close();
  });

  test('the tool: its own directory, variables and home', async () => {
    const bash = createBash({
      stateDirectory: temporaryDirectory(),
      host: 'box',
      hosts: { box: { ...sshd().box, directory: workspace } },
    });
    const { run } = await bash.call({ command: 'pwd; echo "$HOME $GIVEN $PAGER"', env: { GIVEN: 'value' } });
    expect(run.output.text).toBe(`${workspace}\n${homedir()} value cat\n`);
    const missing = await bash.call({ command: 'true', cwd: '/nacre/missing' });
    expect(missing.error?.id).toBe('cwd_missing');
    await bash.close();
  });

  test('what it printed is here when the caller was killed', async () => {
    const box = { ...sshd().box, directory: workspace };
    const stateDirectory = temporaryDirectory();
    const program = `import { createBash } from ${JSON.stringify(join(process.cwd(), 'dist/index.js'))};
      const bash = createBash({ stateDirectory: ${JSON.stringify(stateDirectory)}, session: 's', host: 'box', hosts: { box: ${JSON.stringify(box)} } });
      bash.call({ command: 'echo ready; until [[ -e go2 ]]; do sleep 0.05; done; echo last; exit 6' }, { onUpdate: () => console.log('ready') });`;
    const caller = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve) => caller.stdout.once('data', resolve));
    caller.kill('SIGKILL');
    writeFileSync(join(workspace, 'go2'), '');
    const store = new RunStore(stateDirectory);
    const [id = ''] = readdirSync(join(stateDirectory, 'runs'));
    await expect
      .poll(() => store.find(id)?.state, { timeout: 30_000 })
      .toMatchObject({ kind: 'ended', ending: { kind: 'exited', exitCode: 6 } });
    expect(readFileSync(join(stateDirectory, 'runs', id, 'out'), 'utf8')).toContain('last\n');
  });

  test('many at once over one link', async () => {
    const texts = await Promise.all(
      Array.from({ length: 12 }, (_, i) => ask(`echo ${i}; sleep 0.1; echo ${i}`)),
    );
    expect(texts).toEqual(texts.map((_, i) => `${i}\n${i}\n`));
    const { run } = await start('true');
    await run.ended;
  });
});

/** The processes whose working directory lies there. */
function whoIsIn(directory: string): string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(directory);
    } catch {
      return false;
    }
  });
}
