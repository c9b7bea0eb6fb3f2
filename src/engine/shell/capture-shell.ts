import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { errorMessage } from '../../errors.ts';
import { RUN_ID_VARIABLE } from '../process/process-scanner.ts';
import { LocalProcessTree } from '../process/process-tree.ts';
import { shellQuote } from '../text/shell-quote.ts';
import { parseShellDump, renderExitDump, renderShellDump } from './shell-dump.ts';
import type { ShellState } from './shell-state.ts';
import { toSnapshotState } from './snapshot-state.ts';

/** Time limit for the user's rc files. */
const CAPTURE_TIMEOUT_MS = 5_000;

interface CaptureRequest {
  readonly shell: string;
  readonly env: Readonly<Record<string, string>>;
  /** A private directory for temporary files. */
  readonly directory: string;
  readonly timeoutMs?: number;
}

type CaptureResult = { readonly state: ShellState } | { readonly failure: string };

/**
 * Starts an interactive bash, lets it read the user's rc files and returns the state that results. The bash has
 * no terminal, no input and no visible output; its leftover processes are killed.
 */
export async function captureShell(request: CaptureRequest): Promise<CaptureResult> {
  const { shell, env, directory, timeoutMs = CAPTURE_TIMEOUT_MS } = request;
  const marker = `capture-${process.pid}-${Date.now().toString(36)}`;
  const file = (kind: string): string => join(directory, `${marker}.${kind}`);
  const [script, before, after] = [file('rc'), file('before'), file('after')];
  try {
    writeFileSync(script, renderCaptureScript({ before, after }), { mode: 0o600 });
    for (const path of [before, after]) writeFileSync(path, '', { mode: 0o600 });
    const { BASH_ENV: _, ENV: __, ...rest } = env;
    const ended = await runCaptureShell({
      shell,
      script,
      env: { ...rest, [RUN_ID_VARIABLE]: marker },
      marker,
      timeoutMs,
    });
    if (ended === 'timeout') return { failure: `it took longer than ${timeoutMs / 1_000} seconds` };
    const [first, last] = [before, after].map((path) => parseShellDump(readFileSync(path, 'latin1')));
    if (!first || !last) return { failure: 'the shell ended before it was done with it' };
    return { state: toSnapshotState(first, last, env.PATH ?? '') };
  } catch (error) {
    return { failure: errorMessage(error) };
  } finally {
    for (const path of [script, before, after]) rmSync(path, { force: true });
  }
}

interface CaptureRun {
  readonly shell: string;
  readonly script: string;
  readonly env: Readonly<Record<string, string>>;
  readonly marker: string;
  readonly timeoutMs: number;
}

async function runCaptureShell(run: CaptureRun): Promise<'ended' | 'timeout'> {
  const { shell, script, env, marker, timeoutMs } = run;
  const child = spawn(shell, ['--rcfile', script, '-i'], {
    argv0: 'bash',
    cwd: '/',
    env,
    detached: true,
    stdio: 'ignore',
  });
  let timer: NodeJS.Timeout | undefined;
  const outcome = await new Promise<'ended' | 'timeout'>((resolve, reject) => {
    timer = setTimeout(resolve, timeoutMs, 'timeout');
    child.on('error', reject);
    child.on('exit', () => resolve('ended'));
  }).finally(() => clearTimeout(timer));
  const pid = child.pid ?? 0;
  const tree = new LocalProcessTree({ id: marker, pid, supervisor: 0, startTimes: null, pipes: [] });
  await killMembers(tree);
  return outcome;
}

/** Repeats the scan until no process is left, because a process may fork during a scan. */
async function killMembers(tree: LocalProcessTree): Promise<void> {
  for (let scan = 0; scan < MAX_KILL_SCANS; scan++) {
    const members = tree.members();
    if (members.length === 0) return;
    for (const member of members) tree.signal(member, 'SIGKILL');
    await pause(KILL_SCAN_PAUSE_MS);
  }
}

const MAX_KILL_SCANS = 50;
const KILL_SCAN_PAUSE_MS = 10;

/**
 * Renders the rc file of the capturing bash: a dump, then the files of a login shell, then a second dump. If
 * the rc files end the shell early (`exit`, `set -e`, `exec` of another shell), the second dump is made at that
 * moment.
 */
function renderCaptureScript({ before, after }: { before: string; after: string }): string {
  const last = `${RESET_BUILTINS}\n${renderExitDump({ file: after, functions: true })}`;
  // Reset before both dumps, so that the reset itself is in neither difference.
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
 * Restores builtins that the rc files have replaced. In POSIX mode `unset` takes precedence over functions, a
 * quoted word is not an alias, and aliases are off for the lines that follow.
 */
const RESET_BUILTINS = `POSIXLY_CORRECT=
\\unset -f unset builtin enable
\\enable builtin alias declare dirs exit local mapfile printf set shopt trap umask unset
\\unset -v POSIXLY_CORRECT
\\builtin shopt -u expand_aliases`;
