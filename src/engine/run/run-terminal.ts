import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shellQuote } from '../text/shell-quote.ts';
import { RUN_FILES } from './run-files.ts';

/** The size of a terminal when no client sets one. */
export const DEFAULT_TERMINAL_SIZE: TerminalSize = { columns: 80, rows: 24 };

/** The size of a terminal in characters. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** A terminal for a command. */
export interface TerminalPlan extends TerminalSize {
  /** The path of util-linux's `script`, which creates the terminal. */
  readonly program: string;
}

/** The command that the shell inside a terminal runs. */
export interface TerminalCommandSpec {
  readonly directory: string;
  readonly shell: string;
  readonly size: TerminalSize;
  /** Whether the command is too long for an argument. */
  readonly isLong: boolean;
  /** The command's values of variables that the wrapping shell needs itself. */
  readonly env: Readonly<Record<'SHELL' | 'BASH_ENV' | 'SHLVL', string | undefined>>;
}

/**
 * The arguments of `script`: quiet, exit status of the command, unbuffered output, no copy in a file.
 *
 * `script` holds the terminal, so it outlives the caller and no output is lost when the command ends.
 */
export function terminalArguments(command: TerminalCommandSpec): readonly string[] {
  return ['--quiet', '--return', '--flush', '--command', renderTerminalScript(command), '/dev/null'];
}

/**
 * Renders the command's parent on the terminal: it sets the size, records the terminal's path, and
 * distinguishes a death by signal from an exit code.
 */
function renderTerminalScript({ directory, shell, size, env, isLong }: TerminalCommandSpec): string {
  const file = (name: string): string => shellQuote(`${directory}/${name}`);
  const lines = [
    // Keys of the terminal are for the command. The signals are caught, not ignored, so that the command gets
    // the default action.
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
    // Bash prints a line about a death by signal, except for trapped signals, SIGINT and SIGPIPE.
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

/** Renders a command that evaluates the command file, for a command that is too long for an argument. */
export function renderEvalCommandFile(directory: string): string {
  return `eval "$(cat ${shellQuote(`${directory}/${RUN_FILES.command}`)})"`;
}

const STTY_TIMEOUT_MS = 2_000;

/** The path of a run's terminal; `null` when it has none or has not started yet. */
export function readTerminalPath(directory: string): string | null {
  try {
    const path = readFileSync(join(directory, RUN_FILES.terminal), 'utf8').trim();
    return path.startsWith('/dev/') ? path : null;
  } catch {
    return null;
  }
}

/** Resizes a run's terminal, which sends `SIGWINCH` to its program. Does nothing when the terminal is gone. */
export function resizeTerminal(directory: string, { columns, rows }: TerminalSize): Promise<void> {
  const path = readTerminalPath(directory);
  if (path === null) return Promise.resolve();
  const words = ['-F', path, 'rows', String(rows), 'cols', String(columns)];
  // The terminal may be gone by now: errors are ignored.
  return new Promise((resolve) => {
    execFile('stty', words, { timeout: STTY_TIMEOUT_MS }, () => resolve());
  });
}
