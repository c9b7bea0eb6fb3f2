/**
 * The files of a run directory, shared with the supervisor scripts. `docs/decisions/0001-supervisor.md` lists
 * the writer of each.
 */
export const RUN_FILES = {
  /** The request as JSON; written once, before the start. */
  request: 'run.json',
  /** The request for the supervisor, as shell assignments. */
  spec: 'spec',
  /** The part of the spec that a warm shell gets with its command. */
  callSpec: 'call',
  /** Shell text that a warm shell reads first. */
  warmShellScript: 'waiter',
  /** The command text, when it is too long for an argument. */
  command: 'command',
  /** The command's input, when the caller gave text. */
  stdin: 'stdin',
  /** Pids, start times and boot id of supervisor and command. */
  processes: 'who',
  /** The exit record: fixed size, overwritten in place in one write. */
  exitRecord: 'ending',
  /** Raw output; stdout alone when the streams are separate. */
  out: 'out',
  /** Raw stderr when the streams are separate. */
  err: 'err',
  /** The log file of a background run: the raw output, after the end a copy with a last line. */
  backgroundLog: 'background.log',
  /** What bash printed about the command's death by a signal. */
  deathMessage: 'message',
  /** The statuses of the last pipeline, when they were requested. */
  pipeStatus: 'pipestatus',
  /** Pids of processes that outlived the command, one per line, while they are alive. */
  leftoverPids: 'behind',
  /** Pid and start time of the supervisor's listener, which holds an open input. */
  listener: 'listener',
  /** Why a program other than the caller stops the run; the supervisor copies it to the exit record. */
  stopReason: 'reason',
  /** Exists when the caller was killed or has left the run. */
  callerGone: 'gone',
  /** The path of the command's terminal. */
  terminal: 'terminal',
  /** How the command on a terminal ended, and what bash printed about its death. */
  terminalExit: 'terminal.end',
  terminalMessage: 'terminal.message',
} as const;

/**
 * The index of ended runs, one row each, beside the directory of runs: a list need not open every directory.
 */
export const RUN_INDEX_FILE = 'runs-2.index';

/** A raw stream of a run: `out` holds both unless they are separate. */
export type StreamName = 'out' | 'err';

/**
 * The name of a piece of raw output that begins at a byte offset.
 *
 * The first piece has the bare name. When a run exceeds its limit, later bytes go to `out.<offset>`, and only
 * the last two such pieces stay: the names tell how much was dropped in between.
 */
export function segmentName(stream: StreamName, offset: number): string {
  return offset === 0 ? stream : `${stream}.${offset}`;
}

const RANDOM_DIGITS = 6;

/**
 * Creates a run id: the start time (milliseconds, base 36), then a random part.
 *
 * Ids sort by age and are never used again, even after the run was deleted.
 */
export function createRunId(now: number = Date.now()): string {
  // The creation of the directory detects equal ids. An id is no secret, so `node:crypto` is not loaded for it.
  const chance = Math.floor(Math.random() * 36 ** RANDOM_DIGITS)
    .toString(36)
    .padStart(RANDOM_DIGITS, '0');
  return `${now.toString(36)}${chance}`;
}

/** Whether a text has the form of a run id; an id becomes part of a path. */
export function isRunId(text: string): boolean {
  return /^[0-9a-z]{14,16}$/.test(text);
}

/** The start time in a run id, in milliseconds. */
export function toRunTime(id: string): number {
  return Number.parseInt(id.slice(0, -RANDOM_DIGITS), 36);
}
