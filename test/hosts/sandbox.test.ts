import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSandboxHost } from '../../src/engine/hosts/sandbox/sandbox-host.ts';
import { DEFAULT_SANDBOX_LIMITS } from '../../src/engine/hosts/sandbox/sandbox-spec.ts';
import { ProcReader } from '../../src/engine/process/proc-reader.ts';
import { createBash } from '../../src/index.ts';
import { temporaryDirectory } from '../helpers/temporary-directory.ts';
import { isSkipped, useHost } from './bench.ts';

const isRoot = process.getuid?.() === 0;
const MIB = 2 ** 20;

describe.skipIf(isSkipped('sandbox'))('limits', () => {
  const { ask, start } = useHost('sandbox', {
    limits: { memoryBytes: 128 * MIB, processes: 64, cpus: null, scratchBytes: 16 * MIB },
  });

  test('no more processes than allowed', async () => {
    const text = await ask(
      'for i in {1..200}; do sleep 30 & done 2>/dev/null; jobs -pr | wc -l; kill $(jobs -p)',
    );
    expect(Number(text.trim().split('\n')[0])).toBeLessThan(100);
  });

  test('who takes more memory than allowed is killed, and told why', async () => {
    const { run } = await start('exec python3 -c "x = bytearray(400 * 2**20); print(len(x))"');
    const { ending, notes } = await run.ended;
    expect(ending).not.toEqual({ kind: 'exited', exitCode: 0 });
    if (ending.kind === 'signaled') expect(notes.join()).toContain('128 MiB of memory');
  });

  test.each(['/tmp', '/dev/shm', '$HOME'])('%s holds what it may and no more', async (place) => {
    const { run, output } = await start(
      `head -c 40000000 /dev/zero >${place}/big; s=$?; : >${place}/big; exit $s`,
    );
    const { ending, notes } = await run.ended;
    expect(ending).toMatchObject({ kind: 'exited', exitCode: 1 });
    expect(output().toString()).toContain('No space left');
    expect(notes.join()).toContain('16 MiB');
  });
});

describe.skipIf(isSkipped('sandbox'))('one sandbox for all commands', () => {
  const { ask, start, startReady } = useHost('sandbox');

  test('what one command leaves in /tmp and in the home is there for the next, and not outside', async () => {
    await ask('echo kept >/tmp/nacre-kept; echo kept >~/.nacre-kept');
    expect(await ask('cat /tmp/nacre-kept ~/.nacre-kept')).toBe('kept\nkept\n');
    expect(existsSync('/tmp/nacre-kept') || existsSync(join(homedir(), '.nacre-kept'))).toBe(false);
  });

  test('a server that one command started answers the next', async () => {
    const server =
      'import http.server as h; h.HTTPServer(("127.0.0.1", 8901), h.SimpleHTTPRequestHandler).serve_forever()';
    await ask(
      `python3 -c '${server}' >/dev/null 2>&1 & for i in {1..300}; do (exec 3<>/dev/tcp/127.0.0.1/8901) 2>/dev/null && break; sleep 0.05; done`,
    );
    expect(
      await ask('exec 3<>/dev/tcp/127.0.0.1/8901; printf "GET / HTTP/1.0\\r\\n\\r\\n" >&3; head -1 <&3'),
    ).toContain('200');
    await ask('pkill -f http.server');
  });

  test('who clears its environment, leaves its session and closes its output ends with its run', async () => {
    const { run } = await startReady(
      "(env -i setsid bash -c 'exec sleep 1470' </dev/null >/dev/null 2>&1 &); until pgrep -fx 'sleep 1470' >/dev/null; do sleep 0.01; done; echo ready; sleep 1000",
    );
    await run.stop('abort', 500);
    expect(await ask("pgrep -fx 'sleep 1470' >/dev/null && echo alive || echo gone")).toBe('gone\n');
  });

  test.each([
    ['touch /usr/nacre', 'Writing is allowed only in'],
    [
      'getent hosts example.org || curl -sS http://example.org || echo "Could not resolve host" && false',
      'no network',
    ],
    ['unshare -Ur true', 'no new namespaces'],
    ['echo "mount: permission denied." >&2; exit 32', 'no mounts'],
    ['curl -s http://example.org; exit 6', 'no network'],
    ['(exec 3<>/dev/tcp/127.0.0.1/9)', '127.0.0.1 is the sandbox itself'],
    ['cat ~/.netrc', 'is private'],
  ])('what is denied is explained: %s', async (command, words) => {
    const { run } = await start(command);
    expect((await run.ended).notes.join('\n')).toContain(words);
  });

  test('who was denied nothing is not lectured', async () => {
    for (const command of ['echo "Read-only file system"', 'cat nowhere', 'exit 6']) {
      const { run } = await start(command);
      expect((await run.ended).notes).toEqual([]);
    }
  });
});

describe.skipIf(isSkipped('sandbox'))('what can be written', () => {
  const hidden = mkdtempSync(join(tmpdir(), 'nacre-hidden-'));
  const extra = mkdtempSync(join(tmpdir(), 'nacre-extra-'));
  afterAll(() => {
    for (const path of [hidden, extra]) rmSync(path, { recursive: true, force: true });
  });
  const { ask, workspace } = useHost('sandbox', {
    isWorkspaceWritable: false,
    writable: [extra],
    hidden: [hidden],
  });

  test('nothing of a workspace that is read-only, and what was named', async () => {
    writeFileSync(join(workspace, 'file'), 'text');
    expect(await ask(`cat file; echo x >file || echo no; echo x >${extra}/y && echo yes`)).toMatch(
      /^text.*no\nyes\n$/s,
    );
    expect(readFileSync(join(workspace, 'file'), 'utf8')).toBe('text');
    expect(existsSync(join(extra, 'y'))).toBe(true);
  });
});

describe.skipIf(isSkipped('sandbox'))('a network of some hosts', () => {
  const server = createServer((request, response) => {
    response.end(`hello from ${request.headers.host} ${request.url}`);
  });
  let port = 0;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
    network.allow.push(`localhost:${port}`, `*.example.org:${port}`);
  });
  afterAll(() => void server.close());
  const network = { allow: ['*.example.org'] };
  const { ask, start } = useHost('sandbox', { network });
  const env = { NO_PROXY: '', no_proxy: '' };

  test('one on the list is reached, by request and by tunnel', async () => {
    expect(await ask(`curl -sS http://localhost:${port}/path?q`, { env })).toBe(
      `hello from localhost:${port} /path?q`,
    );
    expect(await ask(`curl -sS -p http://localhost:${port}/x`, { env })).toContain('/x');
  });

  test('one that is not on the list is refused, and it is said why', async () => {
    const { run, output } = await start(`curl -sS --fail-with-body http://127.0.0.1:${port}/`, { env });
    const { notes } = await run.ended;
    expect(output().toString()).toContain("is not on the sandbox's list");
    expect(notes.join()).toContain('The sandbox reaches only');
    expect(await ask(`curl -sS http://localhost:1/ -o /dev/null -w '%{http_code}'`, { env })).toBe('403');
    expect(await ask(`curl -sS -p http://evil.test:443/ || true`, { env })).toContain('403');
  });

  test.each([
    ['an address instead of the name', 'GET http://127.0.0.1:PORT/ HTTP/1.1\\r\\nHost: localhost:PORT'],
    ['the name as a user of another host', 'GET http://localhost:PORT@127.0.0.1:PORT/ HTTP/1.1\\r\\nHost: x'],
    ['an address in other figures', 'GET http://2130706433:PORT/ HTTP/1.1\\r\\nHost: localhost:PORT'],
    [
      'an address of the other kind',
      'GET http://[::ffff:127.0.0.1]:PORT/ HTTP/1.1\\r\\nHost: localhost:PORT',
    ],
    ['a path and a Host header', 'GET / HTTP/1.1\\r\\nHost: localhost:PORT'],
    ['a tunnel to an address', 'CONNECT 127.0.0.1:PORT HTTP/1.1\\r\\nHost: localhost:PORT'],
    ['a tunnel to another port', 'CONNECT localhost:22 HTTP/1.1\\r\\nHost: localhost:PORT'],
    [
      'a tunnel with a tail that is on the list',
      'CONNECT 127.0.0.1:PORT#.example.org:443 HTTP/1.1\\r\\nHost: x',
    ],
    ['a zone id', 'CONNECT [::ffff:127.0.0.1%%.example.org]:PORT HTTP/1.1\\r\\nHost: x'],
    ['a zone id without brackets', 'CONNECT ::ffff:127.0.0.1%%.example.org:PORT HTTP/1.1\\r\\nHost: x'],
    ['a zone id in a request', 'GET http://[::1%%.example.org]:PORT/ HTTP/1.1\\r\\nHost: x'],
    ['an address that wraps another', 'CONNECT [::ffff:7f00:1]:PORT HTTP/1.1\\r\\nHost: x'],
    ['an address as a label', 'CONNECT 127.0.0.1.:PORT HTTP/1.1\\r\\nHost: x'],
    ['a name on the list by its end alone', 'CONNECT evilexample.org:443 HTTP/1.1\\r\\nHost: x'],
    ['another scheme', 'GET ftp://localhost:PORT/ HTTP/1.1\\r\\nHost: localhost:PORT'],
    ['a file', 'GET file:///etc/passwd HTTP/1.1\\r\\nHost: localhost:PORT'],
    ['a zero byte', 'CONNECT 127.0.0.1\\0.example.org:443 HTTP/1.1\\r\\nHost: x'],
    [
      'a second request on the same connection',
      'GET http://no.test/ HTTP/1.1\\r\\nHost: x\\r\\n\\r\\nGET http://127.0.0.1:PORT/ HTTP/1.1\\r\\nHost: x',
    ],
  ])('the list is not got around by %s', async (_, text) => {
    const proxy = `exec 3<>/dev/tcp/127.0.0.1/\${HTTP_PROXY##*:}`;
    const send = `printf '${text.replaceAll('PORT', String(port))}\\r\\nConnection: close\\r\\n\\r\\n' >&3; timeout 5 cat <&3`;
    const answer = await ask(`${proxy}; ${send}`);
    expect(answer).not.toMatch(/hello|root:|SSH-|200 /);
  });

  test('and what tries to is sent in a way that works for one on the list', async () => {
    const answer = await ask(
      `exec 3<>/dev/tcp/127.0.0.1/\${HTTP_PROXY##*:}; printf 'GET http://localhost:${port}/ HTTP/1.1\\r\\nHost: other\\r\\nConnection: close\\r\\n\\r\\n' >&3; timeout 5 cat <&3`,
    );
    expect(answer).toContain(`hello from localhost:${port} /`);
  });

  test('nothing is reached around the proxy', async () => {
    expect(
      await ask(`(exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null && echo reached || echo stopped`),
    ).toBe('stopped\n');
  });
});

describe.skipIf(isSkipped('sandbox'))('the life of a sandbox', () => {
  const spec = (stateDirectory: string, workspace: string) => ({
    ...{
      workspace,
      isWorkspaceWritable: true,
      writable: [],
      readable: [],
      hidden: [],
      network: 'off' as const,
    },
    ...{ unixSockets: false, limits: DEFAULT_SANDBOX_LIMITS, home: homedir(), stateDirectory },
  });

  test('without bubblewrap nothing runs', async () => {
    const state = temporaryDirectory();
    const host = createSandboxHost({
      spec: spec(state, temporaryDirectory()),
      bwrap: '/usr/bin/false',
      onExit: 'end',
    });
    const bash = createBash({ stateDirectory: state, cwd: temporaryDirectory(), host });
    const { run, error } = await bash.call({ command: 'touch ran' });
    expect([run.status, error?.id]).toEqual(['refused', 'sandbox_unavailable']);
    await bash.close();
  });

  test.each([
    ['the home itself', (home: string) => home],
    ['what holds it', (home: string) => dirname(home)],
    ['the root', () => '/'],
  ])('a session in %s is refused: what is written there runs outside', async (_, place) => {
    const root = temporaryDirectory();
    const home = join(root, 'home');
    mkdirSync(home);
    const inheritedEnv = { ...process.env, HOME: home };
    const bash = createBash({ stateDirectory: root, cwd: place(home), host: 'sandbox', inheritedEnv });
    const { error } = await bash.call({ command: 'touch .profile' });
    expect(error?.id).toBe('sandbox_unavailable');
    expect(error?.message).toContain('where files run when you log in');
    expect(existsSync(join(home, '.profile'))).toBe(false);
    await bash.close();
  });

  test('what decides what runs outside cannot be changed, wherever it lies', async () => {
    const root = temporaryDirectory();
    const workspace = join(root, 'work');
    mkdirSync(workspace);
    const inheritedEnv = {
      ...process.env,
      XDG_CONFIG_HOME: join(workspace, 'config'),
      XDG_CACHE_HOME: join(workspace, 'cache'),
    };
    const bash = createBash({ stateDirectory: root, cwd: workspace, host: 'sandbox', inheritedEnv });
    const { run } = await bash.call({
      command: 'for d in config cache; do echo x >$d/nacre/planted; mv $d $d-old; done; touch fine',
    });
    expect(run.output.text.match(/Read-only file system|busy/g)).toHaveLength(4);
    expect(readdir(join(workspace, 'cache/nacre'))).toEqual([]);
    expect(existsSync(join(workspace, 'fine'))).toBe(true);
    await bash.close();
  });

  test('a repository can be made, cloned and committed to, and its guarded files stay', async () => {
    const [stateDirectory, cwd] = [temporaryDirectory(), temporaryDirectory()];
    mkdirSync(join(cwd, '.vscode'));
    const first = createBash({ host: 'sandbox', stateDirectory, cwd });
    const made = await first.call({ command: 'git init -q . && git clone -q . copy; ls -d .git copy/.git' });
    expect(made.run.output.text).toContain('.git\ncopy/.git\n');
    await first.close();
    const bash = createBash({ host: 'sandbox', stateDirectory, cwd });
    const git = 'git -c user.name=a -c user.email=a@example.org';
    const { run } = await bash.call({
      command: `echo a >a; git add a && ${git} commit -qm first && git log --format=%s; echo x >.git/hooks/x; echo x >>.git/config; echo x >.vscode/x; mv .git moved`,
    });
    expect(run.output.text).toMatch(/^first\n/);
    expect(run.output.text.match(/Read-only file system|busy/g)).toHaveLength(4);
    await bash.close();
  });

  test('our state below the workspace cannot be read, moved or replaced', async () => {
    const cwd = temporaryDirectory();
    const stateDirectory = join(cwd, 'a/b/state');
    const bash = createBash({ host: 'sandbox', stateDirectory, cwd });
    const move =
      'import os, sys\nfor path in sys.argv[1:]:\n try: os.rename(path, "moved"); print("moved", path)\n except OSError as e: print("kept", path)';
    const { run } = await bash.call({
      command: `ls a/b/state/runs; python3 -c '${move}' a/b/state a/b a; echo x >a/b/fine`,
    });
    expect(run.output.text).toMatch(/No such file.*\nkept a\/b\/state\nkept a\/b\nkept a\n/);
    expect(existsSync(join(cwd, 'a/b/fine')) && existsSync(join(stateDirectory, 'runs'))).toBe(true);
    await bash.close();
  });

  test('a writable path that does not exist is an error that names it and the fix', async () => {
    const [stateDirectory, cwd] = [temporaryDirectory(), temporaryDirectory()];
    const missing = join(cwd, 'missing');
    const hosts = { box: { type: 'sandbox' as const, writable: [missing] } };
    const bash = createBash({ stateDirectory, cwd, host: 'box', hosts });
    const refused = await bash.call({ command: 'touch ran' });
    expect(refused.error?.id).toBe('sandbox_unavailable');
    expect(refused.error?.message).toContain(
      `the 'writable' path ${missing} does not exist. Create it, or remove it from the list`,
    );
    expect(existsSync(join(cwd, 'ran'))).toBe(false);
    mkdirSync(missing);
    const { run } = await bash.call({ command: 'touch missing/made' });
    expect(run.exitCode).toBe(0);
    await bash.close();
  });

  test('a path that cannot be mounted refuses, and says which', async () => {
    const [state, workspace] = [temporaryDirectory(), temporaryDirectory()];
    const missing = join(workspace, 'gone');
    mkdirSync(missing);
    const bad = { ...spec(state, missing) };
    rmSync(missing, { recursive: true });
    const host = createSandboxHost({ spec: bad, bwrap: '/usr/bin/bwrap', onExit: 'end' });
    const bash = createBash({ stateDirectory: state, cwd: workspace, host });
    const { run } = await bash.call({ command: 'pwd' });
    expect(run.status).not.toBe('exited');
    await host.close();
    await bash.close();
  });

  test('it ends when it is closed and its last job has ended, and leaves nothing', async () => {
    const state = temporaryDirectory();
    const bash = createBash({ host: 'sandbox', stateDirectory: state, cwd: temporaryDirectory() });
    const { run } = await bash.call({ command: 'sleep 1468', async: true });
    await bash.close();
    const keepers = () =>
      new ProcReader().pids(1).filter((pid) => readCommand(pid).includes(`${state}/sandboxes`));
    expect(keepers().length).toBeGreaterThan(0);
    const other = createBash({ stateDirectory: state, session: bash.session, cwd: temporaryDirectory() });
    await other.jobs.kill(run.job?.id ?? '', { escalate: true });
    await expect.poll(keepers, { timeout: 20_000 }).toEqual([]);
    await expect
      .poll(() => existsSync(join(state, 'sandboxes')) && readdir(join(state, 'sandboxes')), {
        timeout: 20_000,
      })
      .toEqual([]);
    await other.close();
  });

  test.skipIf(!isRoot)('by name, the secrets of the system are not there', async () => {
    const bash = createBash({
      host: 'sandbox',
      stateDirectory: temporaryDirectory(),
      cwd: temporaryDirectory(),
    });
    const { run } = await bash.call({ command: 'cat /etc/shadow; ls /root/.ssh /home; id -u' });
    expect(run.output.text).not.toContain('root:');
    await bash.close();
  });
});

function readCommand(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

function readdir(path: string): string[] {
  return existsSync(path) ? readdirSync(path) : [];
}
