import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, vi } from 'vitest';
import { type Bash, createBash } from '../../src/tool/call/bash.ts';
import type { JobResult } from '../../src/tool/jobs/job-tool.ts';
import { openJobs } from '../../src/tool/jobs/jobs.ts';
import type { BashOptions } from '../../src/tool/options/bash-options.ts';
import { findMarked } from './local.ts';
import { READY_SHELLS, waitForReady } from './ready.ts';
import { removeDirectory } from './remove-directory.ts';

/** The tool on this machine, for a test file: own state, own marker in the environment, and nobody left at the end. */
export interface RealBench {
  readonly stateDirectory: string;
  /** `NAME=value` of every process that a test starts. */
  readonly marker: string;
  /** A new instance; all of them are closed at the end. */
  readonly open: (options?: BashOptions) => Bash;
}

/** Call it at the top of a test file. */
export function useRealBash(): RealBench {
  const stateDirectory = mkdtempSync(join(tmpdir(), 'nacre-test-'));
  const value = randomUUID();
  const opened: Bash[] = [];

  afterAll(async () => {
    await Promise.all(opened.map((bash) => bash.close()));
    const jobs = openJobs({ stateDirectory, session: null });
    const running = jobs.list().filter(({ state }) => state === 'running');
    await Promise.all(running.map(({ id }) => jobs.kill(id, { escalate: true, graceMs: 100 })));
    await vi.waitFor(() => expect(findMarked(`NACRE_TEST_MARKER=${value}`)).toEqual([]), { timeout: 20_000 });
    removeDirectory(stateDirectory);
  });

  const open = (options: BashOptions = {}): Bash => {
    const made = createBash({
      cwd: tmpdir(),
      stateDirectory,
      ...(READY_SHELLS === undefined ? {} : { readyShells: READY_SHELLS }),
      inheritedEnv: { PATH: process.env.PATH, HOME: tmpdir() },
      ...options,
      env: { NACRE_TEST_MARKER: value, ...options.env },
    });
    opened.push(made);
    if (!READY_SHELLS) return made;
    const call: Bash['call'] = async (...given) => {
      await waitForReady(options.stateDirectory ?? stateDirectory);
      return made.call(...given);
    };
    return { ...made, call };
  };

  return { stateDirectory, marker: `NACRE_TEST_MARKER=${value}`, open };
}

export function textOf({ content }: Pick<JobResult, 'content'>): string {
  return content.map(({ text }) => text).join('');
}

/** The id of the job that a result names. */
export function jobOf({ run }: { readonly run: { readonly job?: { readonly id: string } } }): string {
  expect(run.job).toBeDefined();
  return run.job?.id ?? '';
}
