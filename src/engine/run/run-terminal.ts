import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shellQuote } from '../text/shell-quote.ts';
import { RUN_FILES } from './run-files.ts';

/** What a terminal has when nobody who shows it says otherwise. */
export const DEFAULT_TERMINAL_SIZE: TerminalSize = { columns: 80, rows: 24 };

/** How large a terminal is, in characters. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** A terminal to run on. */
export interface TerminalPlan extends TerminalSize {
  /** The path of util-linux's `script`, which makes it. */
  readonly program: string;
}

/** What the shell inside a terminal is to run, and as what. */
export interface TerminalCommandSpec {
  readonly directory: string;
  readonly shell: string;
  readonly size: TerminalSize;
  /** Whether the command is too long for an argument. */
  readonly isLong: boolean;
  /** What the command is started with under these names; all are ours until then. */
  readonly env: Readonly<Record<'SHELL' | 'BASH_ENV' | 'SHLVL', string | undefined>>;
}

/**
 * The words after `script`: quiet, its exit status the command's, every byte passed on at once, no copy in a file.
 *
 * A terminal that another process holds outlives the caller, and no byte of it is lost when the command ends.
 */
export function terminalArguments(command: TerminalCommandSpec): readonly string[] {
  return ['--quiet', '--return', '--flush', '--command', renderTerminalScript(command), '/dev/null'];
}

/**
 * The command's parent on the terminal: it sets the size, says which terminal it is, and tells a death by signal from an
 * exit code, which are one number to whoever looks from outside.
 */
function renderTerminalScript({ directory, shell, size, env, isLong }: TerminalCommandSpec): string {
  const file = (name: string): string => shellQuote(`${directory}/${name}`);
  const lines = [
    // Keys of the terminal are for the command; caught and not ignored, so that it has its own way with them.
    'trap : INT QUIT',
    `stty sane rows ${size.rows} cols ${size.columns}`,
    `tty >${file(RUN_FILES.terminal)}`,
    isLong
      ? `nacre_text=${shellQuote(renderEvalCommandFile(directory))}`
      : `IFS= read -r -d '' nacre_text <${file(RUN_FILES.command)}`,
    renderRestoreVariable('SHELL', env.SHELL),
    renderRestoreVariable('BASH_ENV', env.BASH_ENV),
    renderRestoreVariable('SHLVL', env.SHLVL),
    `exec 9>&2 2>${file(RUN_FILES.terminalMessage)}`,
    `(exec -a bash ${shellQuote(shell)} -c "$nacre_text" 2>&9 9>&-)`,
    'nacre_status=$? nacre_how=exited nacre_number=$?',
    // Of a death bash writes a line, except for those that we catch and two that it takes for everyday life.
    `if ((nacre_status > 128)) && [[ -s ${file(RUN_FILES.terminalMessage)} || ' 130 131 141 143 ' == *" $nacre_status "* ]]; then`,
    '  nacre_how=signaled nacre_number=$((nacre_status - 128))',
    'fi',
    `printf '%s %s\\n' "$nacre_how" "$nacre_number" >${file(RUN_FILES.terminalExit)}`,
    'exit "$nacre_status"',
  ];
  return lines.join('\n');
}

function renderRestoreVariable(name: string, value: string | undefined): string {
  return value === undefined ? `unset ${name}` : `export ${name}=${shellQuote(value)}`;
}

/** What stands for a command that is too long for an argument: the way to it. */
export function renderEvalCommandFile(directory: string): string {
  return `eval "$(cat ${shellQuote(`${directory}/${RUN_FILES.command}`)})"`;
}

const STTY_TIMEOUT_MS = 2_000;

/** The path of a run's terminal; `null` where it has none, or none yet. */
export function readTerminalPath(directory: string): string | null {
  try {
    const path = readFileSync(join(directory, RUN_FILES.terminal), 'utf8').trim();
    return path.startsWith('/dev/') ? path : null;
  } catch {
    return null;
  }
}

/** Gives a run's terminal another size; its program hears of it by `SIGWINCH`. Nothing where it has none any more. */
export function resizeTerminal(directory: string, { columns, rows }: TerminalSize): Promise<void> {
  const path = readTerminalPath(directory);
  if (path === null) return Promise.resolve();
  const words = ['-F', path, 'rows', String(rows), 'cols', String(columns)];
  // A terminal that has gone meanwhile has no size to set.
  return new Promise((resolve) => {
    execFile('stty', words, { timeout: STTY_TIMEOUT_MS }, () => resolve());
  });
}
