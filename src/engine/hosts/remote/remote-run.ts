import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readTextFile } from '../../process/state-files.ts';
import { sendToProxyProcess } from '../../run/proxy-process-tree.ts';
import type { Ending, ProcessName, Run, ShellDumpTexts } from '../../run/run-request.ts';
import { toHumanSize } from '../../text/format-size.ts';
import { ExternalRun } from '../external-run.ts';

interface RemoteRunParts {
  readonly run: Run;
  /** The pid on the remote host. */
  readonly pid: number;
  readonly notes: readonly string[];
  /** Whether the remote shell dumps its state. */
  readonly hasShellDump: boolean;
}

/** A run on a remote host, as its local proxy process recorded it. */
export class RemoteRun extends ExternalRun {
  constructor({ run, pid, notes, hasShellDump }: RemoteRunParts) {
    const signal = (name: NodeJS.Signals): void =>
      sendToProxyProcess(run.directory, name.replace(/^SIG/, ''));
    super({
      run,
      pid,
      pipeStatus: true,
      ...(hasShellDump ? { shell: () => takeRemoteShellDump(run.directory) } : {}),
      signal,
      notes: () => [
        ...notes,
        ...renderGapNotes(run.directory),
        ...renderCutInputNotes(run.directory),
        ...renderEndedNotes(run.directory),
      ],
      complete: (end) => ({
        ...end,
        ending: toRemoteEnding(end.ending, run.directory),
        leftovers: readProcessNames(run.directory, 'behind'),
        survivors: [...end.survivors, ...readProcessNames(run.directory, 'survivors')],
      }),
    });
  }

  /** From here on the remote side applies the time limit of a job. */
  override release(): void {
    super.release();
    sendToProxyProcess(this.directory, 'release');
  }
}

function toRemoteEnding(ending: Ending, directory: string): Ending {
  const why = readRunText(directory, 'far.why').trim();
  return ending.kind === 'lost' && why !== '' ? { kind: 'lost', why } : ending;
}

function readProcessNames(directory: string, list: 'behind' | 'survivors' | 'ends'): ProcessName[] {
  // The connection for the other stream reports the same lines.
  const lines = [...new Set(readRunText(directory, 'far.names').split('\n'))];
  return lines.flatMap((line) => {
    const [, kind, pid, command = ''] = /^(\w+) (\d+) (.*)$/.exec(line) ?? [];
    return kind === list ? [{ pid: Number(pid), command: command.trim() }] : [];
  });
}

function renderGapNotes(directory: string): string[] {
  const bytes = readRunText(directory, 'far.gaps')
    .split('\n')
    .reduce((sum, line) => sum + Number(line), 0);
  return bytes === 0
    ? []
    : [`${toHumanSize(bytes)} of output were dropped on the host before they could be transferred.`];
}

/** A cluster stops leftover processes when the job ends. */
function renderEndedNotes(directory: string): string[] {
  const left = readProcessNames(directory, 'ends').map(({ command }) => command);
  return left.length === 0 ? [] : [`Leftover processes were stopped with the job: ${left.join(', ')}.`];
}

function renderCutInputNotes(directory: string): string[] {
  return existsSync(join(directory, 'far.cut'))
    ? ['The connection was lost while input was sent: the command did not get all of it.']
    : [];
}

/** Reads and removes the shell dump that the proxy process received. */
function takeRemoteShellDump(directory: string): ShellDumpTexts {
  const take = (name: 'before' | 'after'): string | null => {
    const text = readRunText(directory, `far.${name}`);
    rmSync(join(directory, `far.${name}`), { force: true });
    return text === '' ? null : Buffer.from(text, 'base64').toString('latin1');
  };
  return { before: take('before'), after: take('after') };
}

function readRunText(directory: string, name: string): string {
  return readTextFile(join(directory, name)) ?? '';
}
