import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { createBash } from '../../../src/tool/call/bash.ts';
import type { MachineResult } from '../../../src/tool/contract/result.ts';
import { openJobs } from '../../../src/tool/jobs/jobs.ts';
import { findMarked } from '../../helpers/local.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';

const marker = randomUUID();

afterAll(async () => {
  await vi.waitFor(() => expect(findMarked(`NACRE_TEST_MARKER=${marker}`)).toEqual([]), { timeout: 20_000 });
});

const GATED = 'echo before; until [ -e gate ]; do sleep 0.02; done; echo after; exit 7';

/** A program makes one call, and is killed as soon as it was answered. */
async function callAndDie(input: object, options: object): Promise<MachineResult> {
  const script = join(import.meta.dirname, '../../helpers/tool-caller.mjs');
  const args = ['--input', JSON.stringify(input), '--options', JSON.stringify(options), '--end', 'stay'];
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    if (text.endsWith('\n')) child.kill('SIGKILL');
  });
  await new Promise((resolve) => child.on('close', resolve));
  return JSON.parse(text) as MachineResult;
}

test.each([
  ['a plain start', { readyShells: 0 }],
  ['a shell that was ready', { readyShells: 2 }],
])('a call that became a job by itself survives kill -9 of its caller (%s)', async (_, shells) => {
  const stateDirectory = temporaryDirectory();
  const options = { stateDirectory, session: 'victim', env: { NACRE_TEST_MARKER: marker }, ...shells };
  const { runId, status } = await callAndDie({ command: GATED, cwd: stateDirectory, wait: 0.3 }, options);
  expect(status).toBe('running');
  const jobs = openJobs({ stateDirectory, session: 'victim' });
  const id = runId ?? '';
  expect(jobs.find(id)).toMatchObject({ state: 'running', label: GATED });
  const told: string[] = [];
  const heir = createBash({
    stateDirectory,
    session: 'victim',
    onJobEnd: ({ text }) => void told.push(text.split('\n')[0] ?? ''),
  });
  writeFileSync(join(stateDirectory, 'gate'), '');
  await expect.poll(() => jobs.find(id).state, { timeout: 20_000 }).toBe('failed');
  expect(jobs.find(id)).toMatchObject({ status: 'exited', exitCode: 7 });
  expect((await jobs.peek(id)).text).toBe('before\nafter\n');
  await expect
    .poll(() => readFileSync(jobs.find(id).outputFile, 'utf8'), { timeout: 20_000 })
    .toBe('before\nafter\n\n\n[background process failed: exit status: 7]\n');
  await expect.poll(() => told, { timeout: 20_000 }).toEqual([expect.stringContaining('exit code 7')]);
  await heir.close();
});
