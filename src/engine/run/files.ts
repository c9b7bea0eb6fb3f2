/**
 * The files of a run directory. The supervisor (a shell script) and this program both know them;
 * `docs/decisions/0001-supervisor.md` says who writes which, and when.
 */
export const RUN_FILES = {
  /** What was asked, as JSON; written once, before anything starts. */
  asked: 'run.json',
  /** The same for the supervisor, as shell assignments. */
  spec: 'spec',
  /** The part of the spec that a shell which was started ahead learns when it gets its command. */
  call: 'call',
  /** What such a shell reads first. */
  waiter: 'waiter',
  /** The text bash gets. */
  command: 'command',
  /** What the command reads, when the caller gave text. */
  stdin: 'stdin',
  /** Who runs it: pids, start times, boot id. */
  who: 'who',
  /** How it ended: of one size from the start, overwritten in place in one write. */
  ending: 'ending',
  /** Raw output; stdout alone when the streams are kept apart. */
  out: 'out',
  /** Raw stderr when the streams are kept apart. */
  err: 'err',
  /** The file that a background start names: the raw output, and after the end a copy of it with a last line. */
  log: 'background.log',
  /** What bash said of the command's death, if anything. */
  message: 'message',
  /** The statuses of the last pipeline, when they were wanted. */
  pipeStatus: 'pipestatus',
  /** Processes that outlived the command, one pid a line, while they live. */
  behind: 'behind',
  /** Who holds an input that was left open: the supervisor's listener. */
  listener: 'listener',
  /** Why somebody else than the caller ends the run; the supervisor puts it into the ending. */
  reason: 'reason',
  /** Whoever started it stopped looking: it was killed, or lets it go on alone. */
  gone: 'gone',
  /** Which terminal the command has, where it has one. */
  terminal: 'terminal',
  /** How the command on it ended, and what bash said of its death. */
  terminalEnd: 'terminal.end',
  terminalMessage: 'terminal.message',
} as const;

/** Beside the directory of all runs: a row for each that is over, so that a list need not look into thousands of directories. */
export const INDEX_FILE = 'runs-2.index';

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
