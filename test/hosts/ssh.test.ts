import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { RunStore } from '../../src/engine/run/record/store.ts';
import { createBash } from '../../src/index.ts';
import { temporaryDirectory } from '../helpers/temporary-directory.ts';
import { isSkipped, useHost } from './bench.ts';

const FOREVER = 'while :; do sleep 1000; done';

describe.skipIf(isSkipped('ssh'))('ssh', () => {
  const { ask, start, startReady, sshd, workspace, state } = useHost('ssh');

  /** The link, cut: who serves it and who shares it are killed. */
  const cut = (): void => {
    for (const pid of sshd().connections()) kill(pid);
    const masters = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && isMaster(pid));
    for (const pid of masters) kill(Number(pid));
  };
  const isMaster = (pid: string): boolean => commandLine(pid).includes(`ssh: ${join(sshd().directory, 'c')}`);

  test('a link that is cut again and again loses no byte, and the command runs once', async () => {
    const { run, output } = await startReady(
      'echo once >>count; echo ready; for i in {1..60}; do head -c 20000 /dev/urandom | base64 | tee -a sent; sleep 0.05; done; exit 9',
    );
    for (let cuts = 0; cuts < 3; cuts++) {
      const seen = output().length;
      await vi.waitFor(() => expect(output().length).toBeGreaterThan(seen + 50_000), {
        timeout: 40_000,
        interval: 20,
      });
      cut();
    }
    expect((await run.ended).ending).toEqual({ kind: 'exited', exitCode: 9 });
    const sent = readFileSync(join(workspace, 'sent'));
    expect(sha(output().subarray('ready\n'.length))).toBe(sha(sent));
    expect(readFileSync(join(workspace, 'count'), 'utf8')).toBe('once\n');
  });

  test('a command that ends while the link is cut has ended when the link is back', async () => {
    const { run, output } = await startReady(
      'echo ready; until [[ -e go ]]; do sleep 0.05; done; echo last; exit 3',
    );
    cut();
    writeFileSync(join(workspace, 'go'), '');
    expect((await run.ended).ending).toEqual({ kind: 'exited', exitCode: 3 });
    expect(output().toString()).toBe('ready\nlast\n');
  });

  test('a limit holds over there when the link is cut for good', async () => {
    const { run } = await startReady(`echo $$ >pid; echo ready; ${FOREVER}`);
    const pid = Number(readFileSync(join(workspace, 'pid'), 'utf8'));
    await run.stop('timeout', 500);
    await expect.poll(() => isThere(pid), { timeout: 20_000 }).toBe(false);
  });

  test('a run goes on when its stand-in is asked to end, and is ended over there', async () => {
    const { run } = await startReady(`echo $$ >pid2; echo ready; ${FOREVER}`, { watcher: 'reader' });
    run.release();
    const stored = new RunStore(state).find(run.id);
    expect(stored?.state.kind).toBe('running');
    await run.stop('kill', 1000);
    await expect
      .poll(() => isThere(Number(readFileSync(join(workspace, 'pid2'), 'utf8'))), { timeout: 20_000 })
      .toBe(false);
  });

  test('another host key is not accepted', async () => {
    const { port, directory, identityFile, options } = sshd();
    const wrong = join(directory, 'wrong');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(directory, 'other')]);
    const [type, key] = readFileSync(join(directory, 'other.pub'), 'utf8').split(' ');
    writeFileSync(wrong, `[127.0.0.1]:${port} ${type} ${key}\n`);
    const others = [`UserKnownHostsFile=${wrong}`, ...options.slice(1)];
    const bash = createBash({
      stateDirectory: temporaryDirectory(),
      host: 'box',
      hosts: {
        box: {
          type: 'ssh',
          destination: '127.0.0.1',
          port,
          identityFile,
          configFile: '/dev/null',
          options: others,
        },
      },
    });
    const { error, run } = await bash.call({ command: 'touch /tmp/nacre-never' });
    expect([run.status, error?.id]).toEqual(['refused', 'host_unreachable']);
    expect(error?.message).toContain('verification failed');
    await bash.close();
  });

  test('nobody at the other end is said at once', async () => {
    const bash = createBash({ stateDirectory: temporaryDirectory(), host: 'ssh:nobody@127.0.0.1.invalid' });
    const { error } = await bash.call({ command: 'true' });
    expect(error?.id).toBe('host_unreachable');
    await bash.close();
  });

  test('the tool: its own directory, variables and home', async () => {
    const { port, identityFile, options } = sshd();
    const box = {
      type: 'ssh',
      destination: '127.0.0.1',
      port,
      identityFile,
      configFile: '/dev/null',
      options,
    } as const;
    const bash = createBash({
      stateDirectory: temporaryDirectory(),
      host: 'box',
      hosts: { box: { ...box, directory: workspace } },
    });
    const { run } = await bash.call({ command: 'pwd; echo "$HOME $GIVEN $PAGER"', env: { GIVEN: 'value' } });
    expect(run.output.text).toBe(`${workspace}\n${homedir()} value cat\n`);
    const missing = await bash.call({ command: 'true', cwd: '/nacre/missing' });
    expect(missing.error?.id).toBe('cwd_missing');
    await bash.close();
  });

  test('what it printed is here when the caller was killed', async () => {
    const { port, identityFile, options } = sshd();
    const box = {
      type: 'ssh',
      destination: '127.0.0.1',
      port,
      identityFile,
      configFile: '/dev/null',
      options,
      directory: workspace,
    };
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

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone.
  }
}

function isThere(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

function sha(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
