import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { RUN_VARIABLE } from '../../run/tree/survey.ts';
import { Tree } from '../../run/tree/tree.ts';
import { readDump } from '../state/read-dump.ts';
import type { ShellState } from '../state/shell-state.ts';
import { renderCapture } from './capture-script.ts';
import { toSnapshotState } from './captured.ts';

/** How long the user's files may take. */
export const CAPTURE_MS = 5_000;

export interface CaptureRequest {
  readonly shell: string;
  readonly env: Readonly<Record<string, string>>;
  /** For files of ours; private. */
  readonly directory: string;
  readonly timeoutMs?: number;
}

export type Captured = { readonly state: ShellState } | { readonly failure: string };

/**
 * Starts an interactive bash, lets it read the user's files, and looks at what it has become. There is no terminal, nothing
 * to read and nobody who sees what is printed; whoever it leaves running is ended.
 */
export async function captureShell(request: CaptureRequest): Promise<Captured> {
  const { shell, env, directory, timeoutMs = CAPTURE_MS } = request;
  const mark = `capture-${process.pid}-${Date.now().toString(36)}`;
  const file = (kind: string): string => join(directory, `${mark}.${kind}`);
  const [script, before, after] = [file('rc'), file('before'), file('after')];
  try {
    writeFileSync(script, renderCapture({ before, after }), { mode: 0o600 });
    for (const path of [before, after]) writeFileSync(path, '', { mode: 0o600 });
    const { BASH_ENV: _, ENV: __, ...rest } = env;
    const ended = await runShell({ shell, script, env: { ...rest, [RUN_VARIABLE]: mark }, mark, timeoutMs });
    if (ended === 'timeout') return { failure: `it took longer than ${timeoutMs / 1_000} seconds` };
    const [first, last] = [before, after].map((path) => readDump(readFileSync(path, 'latin1')));
    if (!first || !last) return { failure: 'the shell ended before it was done with it' };
    return { state: toSnapshotState(first, last, env.PATH ?? '') };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  } finally {
    for (const path of [script, before, after]) rmSync(path, { force: true });
  }
}

interface CaptureRun {
  readonly shell: string;
  readonly script: string;
  readonly env: Readonly<Record<string, string>>;
  readonly mark: string;
  readonly timeoutMs: number;
}

async function runShell({ shell, script, env, mark, timeoutMs }: CaptureRun): Promise<'ended' | 'timeout'> {
  const child = spawn(shell, ['--rcfile', script, '-i'], {
    argv0: 'bash',
    cwd: '/',
    env,
    detached: true,
    stdio: 'ignore',
  });
  const how = await new Promise<'ended' | 'timeout'>((resolve, reject) => {
    const timer = setTimeout(() => resolve('timeout'), timeoutMs);
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on('exit', () => {
      clearTimeout(timer);
      resolve('ended');
    });
  });
  const pid = child.pid ?? 0;
  const tree = new Tree({ id: mark, pid, supervisor: 0, startTimes: null, pipes: [] });
  await endAll(tree);
  return how;
}

/** Somebody may be starting somebody else right now: we look until nobody is left. */
async function endAll(tree: Tree): Promise<void> {
  for (let look = 0; look < LOOKS; look++) {
    const members = tree.members();
    if (members.length === 0) return;
    for (const member of members) tree.signal(member, 'SIGKILL');
    await pause(LOOK_MS);
  }
}

const LOOKS = 50;
const LOOK_MS = 10;
