import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Ending } from '../../run/ending.ts';
import type { ProcessName, Run, RunEnd, WrittenShell } from '../../run/request.ts';
import { tellRelay } from '../../run/tree/relay-tree.ts';
import { toHumanSize } from '../../text/size.ts';
import { PlacedRun } from '../placed-run.ts';

export interface FarRunParts {
  readonly run: Run;
  /** The command's number over there. */
  readonly pid: number;
  readonly notes: readonly string[];
  /** Whether its shell writes itself down over there. */
  readonly bringsShell: boolean;
}

/** A run on another machine, told by what its stand-in here wrote down. */
export class FarRun extends PlacedRun {
  override readonly ended: Promise<RunEnd>;

  constructor({ run, pid, notes, bringsShell }: FarRunParts) {
    const signal = (name: NodeJS.Signals): void => tellRelay(run.directory, name.replace(/^SIG/, ''));
    super({
      run,
      pid,
      pipeStatus: true,
      ...(bringsShell ? { shell: () => takeShell(run.directory) } : {}),
      signal,
      notes: () => [
        ...notes,
        ...gapNotes(run.directory),
        ...cutNotes(run.directory),
        ...endsNotes(run.directory),
      ],
    });
    this.ended = this.placed.then((end) => ({
      ...end,
      ending: toEnding(end.ending, run.directory),
      leftovers: names(run.directory, 'behind'),
      survivors: [...end.survivors, ...names(run.directory, 'survivors')],
    }));
  }

  /** Over there its limit is that of a job from now on. */
  override release(): void {
    super.release();
    tellRelay(this.directory, 'release');
  }
}

function toEnding(ending: Ending, directory: string): Ending {
  const why = read(directory, 'far.why').trim();
  return ending.kind === 'lost' && why !== '' ? { kind: 'lost', why } : ending;
}

function names(directory: string, word: 'behind' | 'survivors' | 'ends'): ProcessName[] {
  // Whoever brings the other stream tells it, too.
  const lines = [...new Set(read(directory, 'far.names').split('\n'))];
  return lines.flatMap((line) => {
    const [, kind, pid, command = ''] = /^(\w+) (\d+) (.*)$/.exec(line) ?? [];
    return kind === word ? [{ pid: Number(pid), command: command.trim() }] : [];
  });
}

function gapNotes(directory: string): string[] {
  const bytes = read(directory, 'far.gaps')
    .split('\n')
    .reduce((sum, line) => sum + Number(line), 0);
  return bytes === 0
    ? []
    : [`${toHumanSize(bytes)} of the output were dropped on the host before they could be fetched.`];
}

/** Somewhere a run's job ends with its command, and with the job whoever is left. */
function endsNotes(directory: string): string[] {
  const left = names(directory, 'ends').map(({ command }) => command);
  return left.length === 0
    ? []
    : [`What the command left behind was ended with its job: ${left.join(', ')}.`];
}

function cutNotes(directory: string): string[] {
  return existsSync(join(directory, 'far.cut'))
    ? ['The link was cut while the input was passed on: the command did not get all of it.']
    : [];
}

/** What its stand-in was sent of the shell; nobody else needs it. */
function takeShell(directory: string): WrittenShell {
  const take = (name: 'before' | 'after'): string | null => {
    const text = read(directory, `far.${name}`);
    rmSync(join(directory, `far.${name}`), { force: true });
    return text === '' ? null : Buffer.from(text, 'base64').toString('latin1');
  };
  return { before: take('before'), after: take('after') };
}

function read(directory: string, name: string): string {
  try {
    return readFileSync(join(directory, name), 'utf8');
  } catch {
    return '';
  }
}
