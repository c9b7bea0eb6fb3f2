import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type Bash, createBash } from '../../src/index.ts';
import { removeDirectory } from '../helpers/remove-directory.ts';
import { isSkipped } from '../hosts/bench.ts';
import { useCluster } from './slurm.ts';

const theCluster = useCluster();

interface Task {
  readonly task: number;
  readonly jobId: string;
}

describe.skipIf(isSkipped('slurm'))('an array of a cluster', () => {
  const work = mkdtempSync(join(tmpdir(), 'nacre-work-'));
  const stateDirectory = mkdtempSync(join(tmpdir(), 'nacre-test-'));
  afterAll(() => {
    for (const directory of [work, stateDirectory]) removeDirectory(directory);
  });
  /** Waits until all runs have ended. */
  const waitForAll = async (bash: Bash, ids: readonly string[]): Promise<void> => {
    for (const id of ids) await bash.jobs.wait([id], { timeoutMs: 90_000 });
  };
  const open = (): Bash =>
    createBash({
      stateDirectory,
      inheritedEnv: theCluster().env,
      host: 'grid',
      hosts: { grid: { type: 'slurm', directory: work } },
    });
  const read = (name: string): string => readFileSync(join(work, name), 'utf8');
  const begin = async (
    bash: Bash,
    call: { command: string; array: string; timeout?: number },
  ): Promise<Task[]> => {
    const { error, details } = await bash.call(call);
    expect(error).toBeUndefined();
    return details.array as Task[];
  };
  const queue = (): string => theCluster().run('squeue', ['--array', '--noheader', '--format=%K %T']);

  test('each task is a job: its own output, exit code and id, and runs once', async () => {
    const bash = open();
    const tasks = await begin(bash, {
      command: 'n=$SLURM_ARRAY_TASK_ID; echo "task $n"; echo $n >>"count-$n"; exit $((n % 3))',
      array: '0-4,9',
    });
    expect(tasks.map(({ task }) => task)).toEqual([0, 1, 2, 3, 4, 9]);
    const ids = tasks.map(({ jobId }) => jobId);
    await waitForAll(bash, ids);
    for (const { task, jobId } of tasks) {
      const job = bash.jobs.find(jobId);
      expect([job.exitCode, job.label]).toEqual([task % 3, expect.stringMatching(`\\[${task}\\]$`)]);
      expect((await bash.jobs.peek(jobId)).text).toBe(`task ${task}\n`);
      expect(read(`count-${task}`)).toBe(`${task}\n`);
    }
    await bash.close();
  });

  test('one can be killed, and then all', async () => {
    const bash = open();
    const tasks = await begin(bash, { command: 'sleep 1000', array: '1-3' });
    const [first, second, third] = tasks.map(({ jobId }) => jobId) as [string, string, string];
    await expect.poll(() => queue().match(/RUNNING/g)?.length, { timeout: 30_000 }).toBe(3);
    await bash.jobs.kill(second, { escalate: true });
    await expect.poll(queue, { timeout: 30_000 }).not.toContain('2 RUNNING');
    expect(queue()).toContain('1 RUNNING');
    expect(queue()).toContain('3 RUNNING');
    await bash.job({ action: 'kill', id: [first, third], escalate: true });
    await expect.poll(queue, { timeout: 30_000 }).toBe('');
    const running = (): unknown => bash.jobs.list().filter(({ state }) => state === 'running');
    await expect.poll(running, { timeout: 30_000 }).toEqual([]);
    await bash.close();
  });

  test('so many at once, and a limit that counts from when a task begins', async () => {
    const bash = open();
    const command =
      'echo began; [[ $SLURM_ARRAY_TASK_ID == 2 ]] && sleep 1000; until [[ -e go ]]; do sleep 0.1; done';
    const tasks = await begin(bash, { command, array: '0-2%1', timeout: 4 });
    writeFileSync(join(work, 'go'), '');
    const ids = tasks.map(({ jobId }) => jobId);
    await waitForAll(bash, ids);
    expect(ids.map((id) => bash.jobs.find(id).exitCode).slice(0, 2)).toEqual([0, 0]);
    expect(bash.jobs.find(ids[2] ?? '')).toMatchObject({ status: 'timed_out' });
    await bash.close();
  });

  test('one that waits in the queue never begins when it is killed', async () => {
    const bash = open();
    theCluster().run('scontrol', ['update', 'PartitionName=all', 'State=DOWN']);
    const tasks = await begin(bash, { command: 'touch began-$SLURM_ARRAY_TASK_ID', array: '5,6' });
    await expect.poll(() => queue().match(/PENDING/g)?.length, { timeout: 30_000 }).toBe(2);
    await bash.jobs.kill(tasks[0]?.jobId ?? '', { escalate: true });
    await expect.poll(queue, { timeout: 30_000 }).not.toContain('5 PENDING');
    theCluster().run('scontrol', ['update', 'PartitionName=all', 'State=UP']);
    await bash.jobs.wait([tasks[1]?.jobId ?? ''], { timeoutMs: 60_000 });
    expect([existsSync(join(work, 'began-5')), existsSync(join(work, 'began-6'))]).toEqual([false, true]);
    await bash.close();
  });

  test('the jobs outlive the program that started them', async () => {
    const program = `import { createBash } from ${JSON.stringify(join(process.cwd(), 'dist/index.js'))};
      const bash = createBash({ stateDirectory: ${JSON.stringify(stateDirectory)}, session: 'gone', host: 'grid', hosts: { grid: { type: 'slurm', directory: ${JSON.stringify(work)} } } });
      const { details } = await bash.call({ command: 'until [[ -e go-on ]]; do sleep 0.1; done; exit 5', array: '0-1' });
      console.log(JSON.stringify(details.array));
      process.kill(process.pid, 'SIGKILL');`;
    let text = '';
    try {
      execFileSync(process.execPath, ['--input-type=module', '-e', program], {
        env: theCluster().env as NodeJS.ProcessEnv,
        encoding: 'utf8',
        timeout: 60_000,
      });
    } catch (error) {
      text = (error as { stdout: string }).stdout;
    }
    writeFileSync(join(work, 'go-on'), '');
    const bash = createBash({ stateDirectory, session: 'gone' });
    const ids = (JSON.parse(text) as Task[]).map(({ jobId }) => jobId);
    await waitForAll(bash, ids);
    expect(ids.map((id) => bash.jobs.find(id).exitCode)).toEqual([5, 5]);
    await bash.close();
  });

  test('what a cluster refuses is refused as a whole', async () => {
    const hosts = { grid: { type: 'slurm', options: ['--partition=nowhere'] } } as const;
    const bash = createBash({ stateDirectory, inheritedEnv: theCluster().env, host: 'grid', hosts });
    const { error } = await bash.call({ command: 'true', array: '0-3' });
    expect(error).toMatchObject({
      id: 'host_unreachable',
      message: expect.stringMatching(/invalid partition/i),
    });
    expect(bash.jobs.list()).toEqual([]);
    await bash.close();
  });
});
