import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { CallUpdate } from '../../../src/tool/contract/call-options.ts';
import type { JobEnd } from '../../../src/tool/contract/job.ts';
import { jobOf, textOf, useRealBash } from '../../helpers/real-bash.ts';

const { open, stateDirectory, marker } = useRealBash();

/** Somebody who listens, and what was heard. */
function listener(): { readonly heard: JobEnd[]; readonly onJobEnd: (end: JobEnd) => void } {
  const heard: JobEnd[] = [];
  return { heard, onJobEnd: (end) => void heard.push(end) };
}

function isTold(id: string): boolean {
  return existsSync(join(stateDirectory, 'runs', id, 'told'));
}

test('the end of a job is reported once, with the status and the exit code on the first line', async () => {
  const { heard, onJobEnd } = listener();
  const bash = open({ session: 'once', onJobEnd });
  const id = jobOf(await bash.call({ command: 'seq 1000; exit 3', async: true }));
  await expect.poll(() => heard.length, { timeout: 20_000 }).toBe(1);
  expect(heard[0]?.job).toMatchObject({ id, state: 'failed', exitCode: 3 });
  expect(heard[0]?.text).toMatch(/^failed \(exit code 3\) after .*: job \S+, seq 1000; exit 3\n/);
  expect(heard[0]?.text).toContain('\n1000\n');
  await expect.poll(() => isTold(id), { timeout: 20_000 }).toBe(true);
  open({ session: 'once', onJobEnd });
  const next = jobOf(await bash.call({ command: 'true', async: true }));
  await expect.poll(() => heard.map(({ job }) => job.id), { timeout: 20_000 }).toEqual([id, next]);
});

test('the end of a call that became a job is reported, also in a last update of the call', async () => {
  const { heard, onJobEnd } = listener();
  const updates: CallUpdate[] = [];
  const bash = open({ session: 'updates', onJobEnd });
  const result = await bash.call(
    { command: 'echo a; read -r; echo b', wait: 0, stdin: { open: true } },
    { onUpdate: (update) => void updates.push(update) },
  );
  const id = jobOf(result);
  await bash.job({ action: 'send', id, keys: ['enter'] });
  await expect.poll(() => heard.map(({ job }) => job.id), { timeout: 20_000 }).toEqual([id]);
  await expect
    .poll(() => updates.at(-1)?.details, { timeout: 20_000 })
    .toMatchObject({
      async: { state: 'completed', jobId: id, type: 'bash' },
    });
  expect(updates.at(-1)?.content[0]?.text).toMatch(/^completed \(exit code 0\)/);
});

test('an end that a wait has returned is not reported again', async () => {
  const { heard, onJobEnd } = listener();
  const bash = open({ session: 'answered', onJobEnd });
  const id = jobOf(await bash.call({ command: 'sleep 0.2; exit 3', async: true }));
  expect(textOf(await bash.job({ action: 'wait', id, seconds: 30 }))).toMatch(/^failed \(exit code 3\)/);
  const other = jobOf(await bash.call({ command: 'true', async: true }));
  await expect.poll(() => heard.map(({ job }) => job.id), { timeout: 20_000 }).toEqual([other]);
  expect(isTold(id)).toBe(true);
});

test('an end during a wait for another job is reported after that wait', async () => {
  const { heard, onJobEnd } = listener();
  const bash = open({ session: 'meanwhile', onJobEnd });
  const id = jobOf(await bash.call({ command: 'sleep 1000', async: true }));
  const wait = bash.job({ action: 'wait', id, seconds: 3_600 });
  await bash.jobs.kill(id, { signal: 'SIGKILL' });
  expect((await wait).details.jobs[0]?.state).toBe('failed');
  expect(heard).toEqual([]);
});

test('a report is repeated when the callback fails', async () => {
  let attempts = 0;
  const onJobEnd = async (): Promise<void> => {
    attempts += 1;
    if (attempts === 1) throw new Error('not now');
  };
  const bash = open({ session: 'again', onJobEnd });
  const id = jobOf(await bash.call({ command: 'true', async: true }));
  await expect.poll(() => isTold(id), { timeout: 20_000 }).toBe(true);
  expect(attempts).toBe(2);
});

test('an unacknowledged end is reported to the next instance of the session, and to no other session', async () => {
  const first = open({ session: 'heir' });
  const ended = jobOf(await first.call({ command: 'exit 5', async: true }));
  const going = jobOf(await first.call({ command: 'sleep 1000', async: true }));
  await first.jobs.wait([ended]);
  await first.close();
  const stranger = listener();
  open({ session: 'not the heir', onJobEnd: stranger.onJobEnd });
  const heir = listener();
  const next = open({ session: 'heir', onJobEnd: heir.onJobEnd });
  await expect.poll(() => heir.heard.map(({ job }) => job.id), { timeout: 20_000 }).toEqual([ended]);
  await next.jobs.kill(going, { signal: 'SIGKILL' });
  await expect.poll(() => heir.heard.map(({ job }) => job.id), { timeout: 20_000 }).toEqual([ended, going]);
  expect(stranger.heard).toEqual([]);
});

test('other instances of the session report nothing while the instance that started the job lives', async () => {
  const [mine, other] = [listener(), listener()];
  const bash = open({ session: 'two', onJobEnd: mine.onJobEnd });
  const id = jobOf(await bash.call({ command: 'sleep 1000', async: true }));
  const second = open({ session: 'two', onJobEnd: other.onJobEnd });
  await bash.jobs.kill(id, { signal: 'SIGKILL' });
  await expect.poll(() => mine.heard.map(({ job }) => job.id), { timeout: 20_000 }).toEqual([id]);
  // Longer than the second one takes to look around.
  const own = jobOf(await second.call({ command: 'sleep 0.8', async: true }));
  await expect.poll(() => other.heard.map(({ job }) => job.id), { timeout: 20_000 }).toEqual([own]);
});

test('leftover processes of a call that returned its result are not reported as a job', async () => {
  const first = open({ session: 'leftover' });
  const id = jobOf(await first.call({ command: 'sleep 1000 & echo done' }));
  await first.jobs.kill(id, { escalate: true });
  await first.close();
  const { heard, onJobEnd } = listener();
  const next = open({ session: 'leftover', onJobEnd });
  const other = jobOf(await next.call({ command: 'true', async: true }));
  await expect.poll(() => heard.map(({ job }) => job.id), { timeout: 20_000 }).toEqual([other]);
});

/** Another program of the session. */
interface Program {
  readonly kill: () => Promise<void>;
  /** Of which jobs it was told. */
  readonly told: () => readonly string[];
  readonly started: () => string;
}

async function startProgram(session: string, args: readonly string[] = []): Promise<Program> {
  const options = JSON.stringify({
    session,
    stateDirectory,
    cwd: tmpdir(),
    env: { NACRE_TEST_MARKER: marker.replace('NACRE_TEST_MARKER=', '') },
  });
  const child = spawn(process.execPath, ['test/helpers/listener.mjs', '--options', options, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const closed = once(child, 'close');
  onTestFinished(() => void child.kill('SIGKILL'));
  const said = (word: string): string[] =>
    [...text.matchAll(new RegExp(`"${word}":"?(\\w+)`, 'g'))].map(([, value = '']) => value);
  await expect.poll(() => said('ready'), { timeout: 20_000 }).toEqual(['true']);
  return {
    kill: async () => {
      child.kill('SIGKILL');
      await closed;
    },
    told: () => said('told'),
    started: () => said('started')[0] ?? '',
  };
}

const input = (command: string): string[] => ['--input', JSON.stringify({ command, async: true })];

test('a program that is killed before its job ends gets one report after a restart', async () => {
  const first = await startProgram('restart', input('sleep 1000'));
  const id = first.started();
  await first.kill();
  const stranger = await startProgram('another');
  const second = await startProgram('restart');
  const bash = open({ session: 'restart' });
  await bash.jobs.kill(id, { signal: 'SIGKILL' });
  await expect.poll(() => second.told(), { timeout: 20_000 }).toEqual([id]);
  await expect.poll(() => isTold(id), { timeout: 20_000 }).toBe(true);
  await second.kill();
  const third = await startProgram('restart', input('true'));
  await expect.poll(() => third.told(), { timeout: 20_000 }).toEqual([third.started()]);
  expect(stranger.told()).toEqual([]);
});

test('a report that was not acknowledged is repeated after a restart', async () => {
  const deaf = await startProgram('unheard', ['--deaf', ...input('exit 4')]);
  const id = deaf.started();
  await expect.poll(() => deaf.told(), { timeout: 20_000 }).toEqual([id]);
  expect(isTold(id)).toBe(false);
  await deaf.kill();
  const next = await startProgram('unheard');
  await expect.poll(() => next.told(), { timeout: 20_000 }).toEqual([id]);
});

test('a program that lives on hears of the job of another one of its session that is killed later', async () => {
  const survivor = await startProgram('survivor');
  const victim = await startProgram('survivor', input('sleep 1000'));
  const id = victim.started();
  await victim.kill();
  await open({ session: 'survivor' }).jobs.kill(id, { signal: 'SIGKILL' });
  await expect.poll(() => survivor.told(), { timeout: 20_000 }).toEqual([id]);
});
