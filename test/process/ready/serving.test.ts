import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { RunRequest } from '../../../src/engine/hosts/host.ts';
import { RunStore } from '../../../src/engine/run/run-store.ts';
import { useLocalHost, type Watched } from '../../helpers/local.ts';
import { waiting } from '../../helpers/ready.ts';

const { start, state, request, host } = useLocalHost(2);
const store = new RunStore(state);

/** Runs a command until a shell that waited has served it: on a busy machine one takes its time to be ready. */
async function begun(command: string, more: Partial<RunRequest> = {}): Promise<Watched> {
  for (let attempt = 0; attempt < 40; attempt++) {
    await vi.waitFor(() => expect(waiting(state).length).toBeGreaterThan(0), {
      timeout: 20_000,
      interval: 2,
    });
    await new Promise((resolve) => setTimeout(resolve, 10 + attempt * 5));
    const ready = waiting(state);
    const watched = await start(command, more);
    if (ready.includes(watched.run.id)) return watched;
    await watched.run.stop('abort', 0);
  }
  throw new Error('no shell that waited served it');
}

/** The same to its end, with what it printed. */
async function served(command: string, more: Partial<RunRequest> = {}): Promise<string> {
  const { run, output } = await begun(command, more);
  await run.ended;
  return output();
}

test('a command gets a shell that waited, with the directory, variables and input of its own call', async () => {
  const cwd = join(state, 'some where');
  mkdirSync(cwd);
  const env = { ...request('').env, GREETING: `it's "$HOME" \\ é` };
  expect(await served('pwd; printf %s "$GREETING"', { cwd, env })).toBe(`${cwd}\nit's "$HOME" \\ é`);
  expect(await served('echo "[$GREETING]"; pwd')).toBe(`[]\n${tmpdir()}\n`);
  expect(await served('cat', { input: { kind: 'text', text: 'line\n' } })).toBe('line\n');
  expect(await served('readlink /proc/self/fd/0')).toBe('/dev/null\n');
  expect(await served('for i in 1 2; do echo $i; done\necho "$LINENO"')).toBe('1\n2\n2\n');
});

test('it is marked with the id of its run, from its start', async () => {
  const text = await served('tr "\\0" "\\n" < /proc/$$/environ | grep NACRE_RUN_ID; echo $NACRE_RUN_ID');
  const [first = '', second = ''] = text.split('\n');
  expect(first).toBe(`NACRE_RUN_ID=${second}`);
  expect(store.find(second)?.state).toMatchObject({ kind: 'ended' });
});

test('until it is used it is no run: nobody who lists runs finds it', async () => {
  await vi.waitFor(() => expect(waiting(state).length).toBeGreaterThanOrEqual(2), { timeout: 20_000 });
  const [id = ''] = waiting(state);
  expect(store.find(id)).toBeNull();
  expect(store.ids()).not.toContain(id);
});

test('what only the start needed is not kept', async () => {
  const id = (await served('echo $NACRE_RUN_ID')).trim();
  await vi.waitFor(() =>
    expect(readdirSync(join(state, 'runs', id)).sort()).toEqual(['ending', 'out', 'run.json', 'who']),
  );
});

test('a script under a ground is read from its start, after the ground', async () => {
  const ground = join(state, 'more-ground.sh');
  writeFileSync(ground, 'greet() { echo "hello $1"; }\n');
  const script = 'greet a\nif true; then greet $LINENO; fi\nfalse | true';
  const { run, output } = await begun(script, { baseEnvironment: ground, pipeStatus: true });
  expect([(await run.ended).pipeStatus, output()]).toEqual([[1, 0], 'hello a\nhello 2\n']);
});

test('a ground is read while the shell waits, and again when the file changes', async () => {
  const ground = join(state, 'ground.sh');
  writeFileSync(ground, 'greet() { echo "one $1"; }\nREAD=$((READ + 1))\n');
  const { run } = await start('greet a', { baseEnvironment: ground });
  await run.ended;
  expect(await served('greet b; echo $READ', { baseEnvironment: ground })).toBe('one b\n1\n');
  writeFileSync(ground, 'greet() { echo "another $1"; }\n');
  const { run: next, output } = await start('greet c', { baseEnvironment: ground });
  await next.ended;
  expect(output()).toBe('another c\n');
  expect(await served('greet d', { baseEnvironment: ground })).toBe('another d\n');
});

test('the streams can be apart, and the statuses of a pipeline are known', async () => {
  const { run, output, errors } = await begun('echo out; echo err >&2; false | true', {
    streams: 'apart',
    pipeStatus: true,
  });
  const { pipeStatus } = await run.ended;
  expect([output(), errors(), pipeStatus]).toEqual(['out\n', 'err\n', [1, 0]]);
});

test.each([
  ['an open input', { input: { kind: 'open' } }],
  ['a job', { watcher: 'nobody' }],
  ['variables that bash reads only when it starts', { env: { BASH_ENV: '/dev/null' } }],
] as const)('%s takes a start of its own', async (_, more) => {
  await vi.waitFor(() => expect(waiting(state).length).toBeGreaterThan(0), { timeout: 20_000 });
  const ready = waiting(state);
  const { run } = await start('sleep 0.01', more as Partial<RunRequest>);
  expect(ready).not.toContain(run.id);
  await run.ended;
});

test('calls that come at once, more than shells wait, get the next ones', async () => {
  const script = 'tr "\\0" " " < /proc/$$/cmdline';
  const at = async (): Promise<string[]> => {
    const all = await Promise.all(Array.from({ length: 4 }, () => start(script)));
    return Promise.all(all.map(async ({ run, output }) => run.ended.then(output)));
  };
  // On a busy machine one may not be there in time, and a call starts its own.
  await vi.waitFor(async () => expect((await at()).filter((text) => text.includes('__X'))).toHaveLength(4), {
    timeout: 50_000,
  });
});

test('a directory that is gone is told as on any other way', async () => {
  await vi.waitFor(() => expect(waiting(state).length).toBeGreaterThan(0), { timeout: 20_000 });
  const { run } = await start('pwd', { cwd: join(state, 'nowhere') });
  const { ending } = await run.ended;
  expect(ending).toEqual({ kind: 'lost', why: 'the working directory could not be entered' });
});

test('a limit that was given to a shell that waited is on disk before the command begins', async () => {
  const { run } = await begun('sleep 1000', { timeoutMs: 50_000 });
  expect(readFileSync(join(run.directory, 'call'), 'utf8')).toMatch(/^nacre_deadline=\d+$/m);
  await run.stop('abort', 10);
});

test('hundreds of calls leave no descriptor and no process', async () => {
  const count = (): number => readdirSync('/proc/self/fd').length;
  await served('true');
  await vi.waitFor(() => expect(waiting(state).length).toBeGreaterThanOrEqual(2), { timeout: 20_000 });
  const before = count();
  for (let call = 0; call < 150; call++) {
    const run = await host.start(request('echo x'));
    await run.ended;
    if (call % 3 === 0) await new Promise((resolve) => setTimeout(resolve, 12));
  }
  await vi.waitFor(() => expect(waiting(state).length).toBeGreaterThanOrEqual(2), { timeout: 20_000 });
  // More may be kept after a burst: four descriptors each, and two files.
  await vi.waitFor(() => expect(count()).toBeLessThanOrEqual(before + 6 * 8), { timeout: 20_000 });
});

test('a shell that waited has the umask that this program has when it is called', async () => {
  const before = process.umask();
  try {
    const other = before === 0o077 ? 0o022 : 0o077;
    expect(await served('umask')).toBe(`${before.toString(8).padStart(4, '0')}\n`);
    process.umask(other);
    const { run, output } = await start('umask');
    await run.ended;
    expect(output()).toBe(`${other.toString(8).padStart(4, '0')}\n`);
    expect(await served('umask')).toBe(output());
  } finally {
    process.umask(before);
  }
});
