import { execFileSync, spawn } from 'node:child_process';
import { openSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { createRemoteHost } from '../../src/engine/hosts/remote/remote-host.ts';
import { RunStore } from '../../src/engine/run/run-store.ts';
import { createBash } from '../../src/index.ts';
import { temporaryDirectory } from '../helpers/temporary-directory.ts';
import { isSkipped, toRequest, useHost } from './bench.ts';

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

  test.each([
    ['nothing to read', {}, {}],
    ['an input that is left open', { stdin: { open: true } }, {}],
    ['an input that is passed on', {}, { stdin: { fd: openSync('/dev/zero', 'r') } }],
  ])('who could not be reached leaves nobody here who goes on trying: %s', async (_, input, call) => {
    const stateDirectory = temporaryDirectory();
    const bash = createBash({ stateDirectory, host: 'ssh:nobody@127.0.0.1.invalid' });
    const { error } = await bash.call({ command: 'true', ...input }, { streams: 'apart', ...call });
    expect(error?.id).toBe('host_unreachable');
    await bash.close();
    await expect.poll(() => whoIsIn(stateDirectory), { timeout: 10_000 }).toEqual([]);
  });

  test('a run that was cleared away has nobody who waits for its input', async () => {
    const [stateDirectory, programs] = [temporaryDirectory(), temporaryDirectory()];
    // A connection that ends when the run directory is gone.
    writeFileSync(
      join(programs, 'ssh'),
      '#!/bin/bash\ncase " $* " in *" -O "*) exit 0 ;; esac\nwhile [[ -e ending ]]; do sleep 0.05; done\nexit 255\n',
      { mode: 0o755 },
    );
    const client = {
      argv: [join(programs, 'ssh')],
      env: { PATH: process.env.PATH ?? '' },
      close: async () => undefined,
    };
    const host = createRemoteHost({
      name: 'x',
      connector: client,
      shell: 'bash',
      stateDirectory,
      onExit: 'end',
    });
    const input = { kind: 'descriptor', fd: openSync('/dev/zero', 'r') } as const;
    void host.start(toRequest('cat', { cwd: '/', input })).catch(() => undefined);
    const runs = join(stateDirectory, 'runs');
    const fed = () =>
      readdirSync(runs).some((id) => readFileSync(join(runs, id, 'far.feeder'), 'utf8') !== '');
    await vi.waitFor(() => expect(fed()).toBe(true), { timeout: 20_000 });
    rmSync(runs, { recursive: true, force: true, maxRetries: 50, retryDelay: 10 });
    await expect.poll(() => whoIsIn(runs), { timeout: 20_000 }).toEqual([]);
    await host.close();
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

/** Processes whose working directory is below a directory. */
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
