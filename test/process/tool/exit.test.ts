import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test, vi } from 'vitest';
import type { MachineResult } from '../../../src/tool/contract/result.ts';
import { openJobs } from '../../../src/tool/jobs/jobs.ts';
import { findMarked } from '../../helpers/local.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';

const marker = randomUUID();

afterAll(async () => {
  await vi.waitFor(() => expect(findMarked(`NACRE_TEST_MARKER=${marker}`)).toEqual([]), { timeout: 20_000 });
});

interface Program {
  readonly stateDirectory: string;
  readonly input: object;
  readonly options?: object;
  readonly end: 'close' | 'exit' | 'nothing';
}

/** Runs a program that makes one call, to its own end. */
async function runProgram({ stateDirectory, input, options = {}, end }: Program): Promise<MachineResult> {
  const script = join(import.meta.dirname, '../../helpers/tool-caller.mjs');
  const all = { stateDirectory, session: 'program', env: { NACRE_TEST_MARKER: marker }, ...options };
  const args = [script, '--input', JSON.stringify(input), '--options', JSON.stringify(all), '--end', end];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 50_000 });
  return JSON.parse(stdout) as MachineResult;
}

test.each(['close', 'nothing'] as const)('a program whose call is over can end (%s)', async (end) => {
  const stateDirectory = temporaryDirectory();
  const run = await runProgram({ stateDirectory, input: { command: 'echo hi' }, end });
  expect(run).toMatchObject({ status: 'exited', output: { text: 'hi\n' } });
});

test.each(['close', 'exit', 'nothing'] as const)(
  'a job outlives its program (%s), and is found again',
  async (end) => {
    const stateDirectory = temporaryDirectory();
    const { runId } = await runProgram({
      stateDirectory,
      input: { command: 'sleep 1000', async: true },
      end,
    });
    const jobs = openJobs({ stateDirectory, session: 'program' });
    expect(jobs.list()).toMatchObject([{ id: runId, state: 'running', label: 'sleep 1000' }]);
    expect(openJobs({ stateDirectory, session: 'another' }).list()).toEqual([]);
    expect(openJobs({ stateDirectory, session: null }).list()).toHaveLength(1);
    await jobs.kill(runId ?? '', { escalate: true });
    await expect.poll(() => jobs.find(runId ?? '').state, { timeout: 10_000 }).toBe('failed');
  },
);

test.each(['close', 'exit'] as const)('a job ends with its program (%s) where that is set', async (end) => {
  const stateDirectory = temporaryDirectory();
  const { runId } = await runProgram({
    stateDirectory,
    input: { command: 'sleep 1000', async: true },
    options: { jobsAtExit: 'stop' },
    end,
  });
  const jobs = openJobs({ stateDirectory, session: 'program' });
  await expect.poll(() => jobs.find(runId ?? '').state, { timeout: 10_000 }).toBe('failed');
});
