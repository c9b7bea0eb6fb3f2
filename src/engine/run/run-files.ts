/**
 * The files of a run directory. The supervisor (a shell script) and this program both know them;
 * `docs/decisions/0001-supervisor.md` says who writes which, and when.
 */
export const RUN_FILES = {
  /** What was asked, as JSON; written once, before anything starts. */
  request: 'run.json',
  /** The same for the supervisor, as shell assignments. */
  spec: 'spec',
  /** The part of the spec that a shell which was started ahead learns when it gets its command. */
  callSpec: 'call',
  /** What such a shell reads first. */
  warmShellScript: 'waiter',
  /** The text bash gets. */
  command: 'command',
  /** What the command reads, when the caller gave text. */
  stdin: 'stdin',
  /** Who runs it: pids, start times, boot id. */
  processes: 'who',
  /** How it ended: of one size from the start, overwritten in place in one write. */
  exitRecord: 'ending',
  /** Raw output; stdout alone when the streams are kept apart. */
  out: 'out',
  /** Raw stderr when the streams are kept apart. */
  err: 'err',
  /** The file that a background start names: the raw output, and after the end a copy of it with a last line. */
  backgroundLog: 'background.log',
  /** What bash said of the command's death, if anything. */
  deathMessage: 'message',
  /** The statuses of the last pipeline, when they were wanted. */
  pipeStatus: 'pipestatus',
  /** Processes that outlived the command, one pid a line, while they live. */
  leftoverPids: 'behind',
  /** Who holds an input that was left open: the supervisor's listener. */
  listener: 'listener',
  /** Why somebody else than the caller ends the run; the supervisor puts it into the ending. */
  stopReason: 'reason',
  /** Whoever started it stopped looking: it was killed, or lets it go on alone. */
  callerGone: 'gone',
  /** Which terminal the command has, where it has one. */
  terminal: 'terminal',
  /** How the command on it ended, and what bash said of its death. */
  terminalExit: 'terminal.end',
  terminalMessage: 'terminal.message',
} as const;

/** Beside the directory of all runs: a row for each that is over, so that a list need not look into thousands of directories. */
export const RUN_INDEX_FILE = 'runs-2.index';

/** Which raw stream of a run: `out` is both, unless they are kept apart. */
export type StreamName = 'out' | 'err';

/**
 * The name of a piece of raw output that begins at a byte offset.
 *
 * The first piece has the bare name. When a run outgrows its cap, later bytes go to `out.<offset>`, and
 * only the last two such pieces stay: what lies between the first piece and them was dropped, and the names say how much.
 */
export function segmentName(stream: StreamName, offset: number): string {
  return offset === 0 ? stream : `${stream}.${offset}`;
}

const RANDOM_DIGITS = 6;

/**
 * A run's name: when it began (milliseconds, base 36), then chance.
 *
 * Names sort by age, and since time does not come back, none is ever used again, even after its run was swept away.
 */
export function createRunId(now: number = Date.now()): string {
  // Chance enough to keep two programs apart; the directory's creation settles the rest. Not a secret, so not worth loading `node:crypto`.
  const chance = Math.floor(Math.random() * 36 ** RANDOM_DIGITS)
    .toString(36)
    .padStart(RANDOM_DIGITS, '0');
  return `${now.toString(36)}${chance}`;
}

/** Whether a text can be a run's name at all: it becomes part of a path. */
export function isRunId(text: string): boolean {
  return /^[0-9a-z]{14,16}$/.test(text);
}

/** When the run of this name was made, in milliseconds. */
export function toRunTime(id: string): number {
  return Number.parseInt(id.slice(0, -RANDOM_DIGITS), 36);
}
