import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { jobOf, textOf, useRealBash } from '../../helpers/real-bash.ts';

const { open, stateDirectory, marker } = useRealBash();
const bash = open();

function toEnv(assignment: string): Record<string, string> {
  const [name = '', value = ''] = assignment.split('=');
  return { [name]: value };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

test('a server is started, waited for, read, stopped and started again, by its name', async () => {
  const port = await freePort();
  const call = {
    command: `exec python3 -u -m http.server ${port} --bind 127.0.0.1`,
    service: { name: 'web', ready: { log: 'Serving', port } },
  };
  const first = await bash.call(call);
  expect(first).toMatchObject({ isError: false, run: { status: 'running', output: { totalLines: 1 } } });
  expect(textOf(first)).toMatch(/Service web is ready after .*: it printed "Serving .*", port \d+ answers\./);
  expect((await bash.call(call)).error?.message).toBe(
    `service.name: web is already running as job ${jobOf(first)}: kill it first`,
  );
  const peeked = await bash.job({ action: 'peek', id: 'web' });
  expect(peeked.details.jobs[0]).toMatchObject({ name: 'web', ports: [port] });
  await bash.job({ action: 'kill', id: 'web', escalate: true });
  const second = await bash.call(call);
  expect(second.run.status).toBe('running');
  expect(bash.jobs.find('web').id).toBe(jobOf(second));
  await bash.job({ action: 'kill', id: 'web', escalate: true });
});

test('a service that ends before it is ready is a failed call, reported by its result alone', async () => {
  const told: string[] = [];
  const own = open({ session: 'early', onJobEnd: ({ job }) => void told.push(job.id) });
  const result = await own.call({
    command: 'echo no such thing; exit 0',
    service: { name: 'early', ready: { log: 'ready' } },
  });
  expect(result).toMatchObject({ isError: true, run: { status: 'exited', exitCode: 0 } });
  expect(textOf(result)).toBe('no such thing\n\nService early ended before it was ready.');
  const next = jobOf(await own.call({ command: 'true', async: true }));
  await expect.poll(() => told, { timeout: 20_000 }).toEqual([next]);
});

test('a service that is not ready in time keeps running', async () => {
  const result = await bash.call({
    command: 'sleep 1000',
    service: { name: 'slow', ready: { log: 'ready' } },
    wait: 0.05,
  });
  expect(result).toMatchObject({ isError: false, run: { status: 'running' } });
  expect(textOf(result)).toContain('Service slow is not ready after 0.1 s; it continues.');
  await bash.job({ action: 'kill', id: 'slow' });
});

test('an abort while it is waited for ends it; a yield does not', async () => {
  const controller = new AbortController();
  const service = { ready: { log: 'never' } };
  const aborted = bash.call(
    { command: 'sleep 1000', service: { name: 'aborted', ...service } },
    { signal: controller.signal },
  );
  await expect.poll(() => bash.jobs.list().some(({ name }) => name === 'aborted')).toBe(true);
  controller.abort();
  await expect(aborted).rejects.toThrow('The command was aborted.');
  expect(bash.jobs.find('aborted').state).toBe('failed');

  const left = await bash.call(
    { command: 'sleep 1000', service: { name: 'left', ...service } },
    { yieldSignal: AbortSignal.abort() },
  );
  expect(left.run.status).toBe('running');
  expect(textOf(left)).toContain('the wait was ended, and it continues');
  await bash.job({ action: 'kill', id: 'left' });
});

test('a service is started again when it fails, in the same process group, and counted', async () => {
  const result = await bash.call({
    command: 'echo "up $0 $-"; exit 3',
    service: { name: 'flaky', restart: 'on-failure', ready: { log: 'up' } },
  });
  expect(textOf(result)).toContain('up bash hBc');
  const waited = await bash.job({ action: 'wait', id: 'flaky', pattern: 'restart 1', seconds: 30 });
  expect(textOf(waited)).toContain('[exited with code 3; restarting in 1 s, restart 1]');
  await expect
    .poll(() => bash.jobs.find('flaky'), { timeout: 20_000 })
    .toMatchObject({
      state: 'running',
      restarts: 1,
      pid: result.run.job?.pid,
    });
  await bash.job({ action: 'kill', id: 'flaky' });
  expect(bash.jobs.find('flaky')).toMatchObject({ state: 'failed', exitCode: 3 });
});

test('one that ends well is started again only if it always is', async () => {
  await bash.call({ command: 'echo done', service: { name: 'well', restart: 'on-failure' } });
  await bash.jobs.wait(['well']);
  expect(bash.jobs.find('well')).toMatchObject({ state: 'completed', exitCode: 0, restarts: 0 });
  await bash.call({ command: 'echo done', service: { name: 'ever', restart: 'always' } });
  expect((await bash.jobs.wait(['ever'], { pattern: 'restart 1', timeoutMs: 30_000 })).why).toBe('met');
  await bash.job({ action: 'kill', id: 'ever' });
});

test('a stopped service that dies of a signal gives its run the same exit status', async () => {
  await bash.call({
    command: 'echo up; exec sleep 1000',
    service: { name: 'signal', restart: 'always', ready: { log: 'up' } },
  });
  await bash.job({ action: 'kill', id: 'signal' });
  await bash.jobs.wait(['signal'], { timeoutMs: 30_000 });
  expect(bash.jobs.find('signal')).toMatchObject({ status: 'signaled', signal: 'SIGTERM', restarts: 0 });
});

test('other signals are the business of the service, and its input reaches it', async () => {
  await bash.call({
    command: 'trap "echo hup" HUP; echo up; while read -r line || (($? > 128)); do echo "got $line"; done',
    stdin: { open: true },
    service: { name: 'own', restart: 'always', ready: { log: 'up' } },
  });
  await bash.job({ action: 'kill', id: 'own', signal: 'HUP' });
  await bash.job({ action: 'send', id: 'own', text: 'hello\n' });
  expect((await bash.jobs.wait(['own'], { pattern: 'got hello', timeoutMs: 30_000 })).why).toBe('met');
  expect((await bash.jobs.peek('own')).text).toContain('hup');
  expect(bash.jobs.find('own').restarts).toBe(0);
  await bash.job({ action: 'kill', id: 'own', escalate: true });
});

test('of several programs that start the same service at once one succeeds', async () => {
  const options = JSON.stringify({ session: 'race', stateDirectory, cwd: tmpdir(), env: toEnv(marker) });
  const input = JSON.stringify({ command: 'sleep 1000', service: { name: 'one' } });
  const args = ['test/helpers/tool-caller.mjs', '--options', options, '--input', input];
  const start = async (): Promise<{ status: string }> => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    await once(child, 'close');
    return JSON.parse(text);
  };
  const results = await Promise.all(Array.from({ length: 6 }, start));
  expect(results.map(({ status }) => status).sort()).toEqual([...Array(5).fill('refused'), 'running']);
  const own = open({ session: 'race' });
  expect(own.jobs.list().filter(({ name, state }) => name === 'one' && state === 'running')).toHaveLength(1);
  const calls = Array.from({ length: 4 }, () =>
    own.call({ command: 'sleep 1000', service: { name: 'two' } }),
  );
  const ids = (await Promise.all(calls)).map(({ error }) => error?.id ?? 'started');
  expect(ids.sort()).toEqual(['bad_input', 'bad_input', 'bad_input', 'started']);
});

test('a pattern with catastrophic backtracking does not block the program; the service keeps running', async () => {
  const command = `echo ${'a'.repeat(40)}!; sleep 1000`;
  const result = await bash.call({ command, service: { name: 'wild', ready: { log: '^(a+)+$' } } });
  expect(result).toMatchObject({ isError: false, run: { status: 'running' } });
  expect(textOf(result)).toMatch(/The readiness of service wild is unknown; it continues\. The pattern/);
  const waited = await bash.job({ action: 'wait', id: 'wild', pattern: '^(a|a)*$', seconds: 60 });
  expect(waited.error?.id).toBe('pattern_slow');
  await bash.job({ action: 'kill', id: 'wild' });
});
