import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { CallUpdate } from '../../../src/tool/call-options.ts';
import type { JobEnd } from '../../../src/tool/job/telling/job-end.ts';
import { jobOf, textOf, useRealBash } from '../../helpers/real-bash.ts';

const { open, stateDirectory } = useRealBash();

/** Somebody who listens, and what was heard. */
function listener(): { readonly heard: JobEnd[]; readonly onJobEnd: (end: JobEnd) => void } {
  const heard: JobEnd[] = [];
  return { heard, onJobEnd: (end) => void heard.push(end) };
}

function isTold(id: string): boolean {
  return existsSync(join(stateDirectory, 'runs', id, 'told'));
}

test('the end of a job is told once, with the status and the exit code on the first line', async () => {
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

test('one that outlived its wait is told, too, and the call hears of it in a last update', async () => {
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

test('nobody is told of what a wait has answered already', async () => {
  const { heard, onJobEnd } = listener();
  const bash = open({ session: 'answered', onJobEnd });
  const id = jobOf(await bash.call({ command: 'sleep 0.2; exit 3', async: true }));
  expect(textOf(await bash.job({ action: 'wait', id, seconds: 30 }))).toMatch(/^failed \(exit code 3\)/);
  const other = jobOf(await bash.call({ command: 'true', async: true }));
  await expect.poll(() => heard.map(({ job }) => job.id), { timeout: 20_000 }).toEqual([other]);
  expect(isTold(id)).toBe(true);
});

test('what ended while a wait for another one was on is told when that wait is over', async () => {
  const { heard, onJobEnd } = listener();
  const bash = open({ session: 'meanwhile', onJobEnd });
  const id = jobOf(await bash.call({ command: 'sleep 1000', async: true }));
  const wait = bash.job({ action: 'wait', id, seconds: 3_600 });
  await bash.jobs.kill(id, { signal: 'SIGKILL' });
  expect((await wait).details.jobs[0]?.state).toBe('failed');
  expect(heard).toEqual([]);
});

test('who fails to listen is told again', async () => {
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

test('what nobody acknowledged is told to the next instance of the session, and to no other session', async () => {
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

test('while the one who started it lives, nobody else of the session is told', async () => {
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

test('what a call that has its result left behind is not told as a job', async () => {
  const first = open({ session: 'leftover' });
  const id = jobOf(await first.call({ command: 'sleep 1000 & echo done' }));
  await first.jobs.kill(id, { escalate: true });
  await first.close();
  const { heard, onJobEnd } = listener();
  const next = open({ session: 'leftover', onJobEnd });
  const other = jobOf(await next.call({ command: 'true', async: true }));
  await expect.poll(() => heard.map(({ job }) => job.id), { timeout: 20_000 }).toEqual([other]);
});
