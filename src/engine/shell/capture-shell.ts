import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { RUN_ID_VARIABLE } from '../process/process-scanner.ts';
import { LocalProcessTree } from '../process/process-tree.ts';
import { shellQuote } from '../text/shell-quote.ts';
import { parseShellDump, renderExitDump, renderShellDump } from './shell-dump.ts';
import type { ShellState } from './shell-state.ts';
import { toSnapshotState } from './snapshot-state.ts';

/** How long the user's files may take. */
export const CAPTURE_TIMEOUT_MS = 5_000;

export interface CaptureRequest {
  readonly shell: string;
  readonly env: Readonly<Record<string, string>>;
  /** For files of ours; private. */
  readonly directory: string;
  readonly timeoutMs?: number;
}

export type CaptureResult = { readonly state: ShellState } | { readonly failure: string };

/**
 * Starts an interactive bash, lets it read the user's files, and looks at what it has become. There is no terminal, nothing
 * to read and nobody who sees what is printed; whoever it leaves running is ended.
 */
export async function captureShell(request: CaptureRequest): Promise<CaptureResult> {
  const { shell, env, directory, timeoutMs = CAPTURE_TIMEOUT_MS } = request;
  const mark = `capture-${process.pid}-${Date.now().toString(36)}`;
  const file = (kind: string): string => join(directory, `${mark}.${kind}`);
  const [script, before, after] = [file('rc'), file('before'), file('after')];
  try {
    writeFileSync(script, renderCaptureScript({ before, after }), { mode: 0o600 });
    for (const path of [before, after]) writeFileSync(path, '', { mode: 0o600 });
    const { BASH_ENV: _, ENV: __, ...rest } = env;
    const ended = await runCaptureShell({
      shell,
      script,
      env: { ...rest, [RUN_ID_VARIABLE]: mark },
      mark,
      timeoutMs,
    });
    if (ended === 'timeout') return { failure: `it took longer than ${timeoutMs / 1_000} seconds` };
    const [first, last] = [before, after].map((path) => parseShellDump(readFileSync(path, 'latin1')));
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

async function runCaptureShell({
  shell,
  script,
  env,
  mark,
  timeoutMs,
}: CaptureRun): Promise<'ended' | 'timeout'> {
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
  const tree = new LocalProcessTree({ id: mark, pid, supervisor: 0, startTimes: null, pipes: [] });
  await killMembers(tree);
  return how;
}

/** Somebody may be starting somebody else right now: we look until nobody is left. */
async function killMembers(tree: LocalProcessTree): Promise<void> {
  for (let look = 0; look < MAX_KILL_SCANS; look++) {
    const members = tree.members();
    if (members.length === 0) return;
    for (const member of members) tree.signal(member, 'SIGKILL');
    await pause(KILL_SCAN_PAUSE_MS);
  }
}

const MAX_KILL_SCANS = 50;
const KILL_SCAN_PAUSE_MS = 10;

/** Where the two pictures of the shell go. */
export interface CaptureFiles {
  readonly before: string;
  readonly after: string;
}

/**
 * What an interactive bash reads in place of its own files: a picture of itself, then what a login shell reads, then
 * another picture. Whatever ends it early (`exit`, `set -e`, an `exec` of another shell) leaves the picture of that moment.
 */
export function renderCaptureScript({ before, after }: CaptureFiles): string {
  const last = `${RESET_BUILTINS}\n${renderExitDump({ file: after, functions: true })}`;
  // Before both pictures: what it switches beside is in neither then.
  return `${RESET_BUILTINS}
${renderShellDump({ file: before, functions: true })}
builtin shopt -s expand_aliases
builtin trap -- ${shellQuote(last)} EXIT
exec() { if (($#)); then builtin exit 0; fi; }
if [[ -r /etc/profile ]]; then . /etc/profile; fi
if [[ -r ~/.bash_profile ]]; then . ~/.bash_profile
elif [[ -r ~/.bash_login ]]; then . ~/.bash_login
elif [[ -r ~/.profile ]]; then . ~/.profile
elif [[ -r ~/.bashrc ]]; then . ~/.bashrc
fi
${RESET_BUILTINS}
builtin unset -f exec
{ builtin set +xv; } 2>/dev/null
${last}
builtin trap - EXIT
builtin exit 0
`;
}

/**
 * Makes our words mean what they mean, whatever the user's files have made of them. No function goes before `unset` in the
 * mode of this variable; an alias is not one when it is quoted; and once they are off, none is for the lines that follow.
 */
const RESET_BUILTINS = `POSIXLY_CORRECT=
\\unset -f unset builtin enable
\\enable builtin alias declare dirs exit local mapfile printf set shopt trap umask unset
\\unset -v POSIXLY_CORRECT
\\builtin shopt -u expand_aliases`;
