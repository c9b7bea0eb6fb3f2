import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBootId } from '../process/proc-reader.ts';
import { ProcessScanner } from '../process/process-scanner.ts';
import { LocalProcessTree, type ProcessTree, type ProcessTreeRoot } from '../process/process-tree.ts';
import { GraceDeadline, stopProcessTree, WakeSignal } from '../process/stop-process-tree.ts';
import { hasProxyProcess, ProxyProcessTree } from './proxy-process-tree.ts';
import { RUN_FILES } from './run-files.ts';
import type { ProcessName } from './run-request.ts';
import type { StoredRun } from './run-store.ts';

/** Sends exactly this signal to every process of a run of any program. Returns the number of processes. */
export async function signalRun(
  run: StoredRun,
  { signal, scanner }: { readonly signal: NodeJS.Signals; readonly scanner?: ProcessScanner | undefined },
): Promise<number> {
  const tree = processTreeOf(run, scanner);
  const members = (await tree?.scan()) ?? [];
  for (const member of members) tree?.signal(member, signal);
  return members.length;
}

/** Stops a run of any program: SIGTERM, grace period, SIGKILL. Resolves with the survivors. */
export async function stopRun(
  run: StoredRun,
  { graceMs, scanner }: { readonly graceMs: number; readonly scanner?: ProcessScanner | undefined },
): Promise<ProcessName[]> {
  const tree = processTreeOf(run, scanner);
  if (tree === null) return [];
  // The supervisor copies the reason to the exit record, which otherwise shows a death by signal.
  writeFileSync(join(run.directory, RUN_FILES.stopReason), 'kill\n', { mode: 0o600 });
  const { survivors } = await stopProcessTree(tree, {
    grace: new GraceDeadline(graceMs),
    wakeSignal: new WakeSignal(),
  });
  return survivors.map((stat) => tree.describe(stat));
}

/** The processes of a stored run; `null` before it began, and after a restart of the machine. */
export function processTreeOf(
  run: StoredRun,
  scanner: ProcessScanner = new ProcessScanner(),
): ProcessTree | null {
  const root = processTreeRootOf(run);
  if (root === null) return null;
  const { directory } = run;
  return hasProxyProcess(directory)
    ? new ProxyProcessTree(root, { directory, scanner })
    : new LocalProcessTree(root, scanner);
}

/** Identifies the processes of a stored run; `null` before it began, and after a restart of the machine. */
export function processTreeRootOf({ id, processes }: StoredRun): ProcessTreeRoot | null {
  if (processes === null || processes.bootId !== readBootId()) return null;
  const { command, supervisor } = processes;
  const startTimes = { command: command.startTime, supervisor: supervisor.startTime };
  return { id, pid: command.pid, supervisor: supervisor.pid, startTimes, pipes: [] };
}
