import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { Run } from '../../engine/hosts/host.ts';
import { OutputWindow } from '../../engine/output/output-window.ts';
import { type ByteRange, type RawOutput, rawOutputFromWindow } from '../../engine/output/raw/raw-output.ts';
import { RUN_FILES } from '../../engine/run/run-files.ts';
import type { TerminalSize } from '../../engine/run/run-terminal.ts';
import { DEFAULT_TERMINAL_SIZE } from '../../engine/run/run-terminal.ts';
import { Screen } from '../../engine/terminal/screen.ts';

/** The emulator reads about 20 MB/s, so only the end of a longer output is drawn, */
const MAX_REPLAY_BYTES = 4 * 1024 * 1024;

/** and its start, where programs set key modes and switch to the alternate screen. */
const REPLAY_HEAD_BYTES = 64 * 1024;

/** CAN aborts an incomplete escape sequence. */
const CANCEL_SEQUENCE = '\x18';

/** The screen of a terminal after its output was replayed. */
interface ScreenReplay {
  readonly screen: Screen;
  readonly notes: readonly string[];
}

/** Replays the output of a run on a screen. The caller closes the screen. */
export async function replayScreen(source: RawOutput, size: TerminalSize): Promise<ScreenReplay> {
  const screen = new Screen(size);
  const from = Math.max(0, source.totalBytes - MAX_REPLAY_BYTES);
  if (from > 0) {
    await drawRange(source, { from: 0, to: Math.min(REPLAY_HEAD_BYTES, from) }, screen);
    await screen.write(CANCEL_SEQUENCE);
  }
  await drawRange(source, { from, to: source.totalBytes }, screen);
  const notes = [
    ...(from === 0
      ? []
      : [
          `The screen is drawn from the first ${REPLAY_HEAD_BYTES / 1024} KB and the last ${MAX_REPLAY_BYTES / 1024 ** 2} MB of the output.`,
        ]),
    ...(screen.isCut ? ['Older scrollback is only in the raw output.'] : []),
  ];
  return { screen, notes };
}

async function drawRange(source: RawOutput, { from, to }: ByteRange, screen: Screen): Promise<void> {
  for (const extent of source.extents) {
    const part = { from: Math.max(extent.from, from), to: Math.min(extent.to, to) };
    if (part.from >= part.to) continue;
    for await (const bytes of source.read(part)) await screen.write(bytes);
  }
}

/** Renders the scrollback and screen of a terminal as a plain output. */
export async function toScreenText(
  source: RawOutput,
  size: TerminalSize,
): Promise<{ readonly source: RawOutput; readonly notes: readonly string[] }> {
  const { screen, notes } = await replayScreen(source, size);
  const bytes = Buffer.from(
    screen
      .lines()
      .map((line) => `${line}\n`)
      .join(''),
  );
  screen.close();
  const window = new OutputWindow({ headBytes: bytes.length, tailBytes: 0 });
  window.write(bytes);
  return { source: rawOutputFromWindow(window.read()), notes };
}

/** Reads the terminal size from a run record; `null` for a run without a terminal. */
export function terminalSizeOf(asked: Readonly<Record<string, unknown>>): TerminalSize | null {
  const { terminal } = asked as { readonly terminal?: Partial<TerminalSize> | null };
  if (terminal === undefined || terminal === null) return null;
  const { columns, rows } = terminal;
  return { columns: columns ?? DEFAULT_TERMINAL_SIZE.columns, rows: rows ?? DEFAULT_TERMINAL_SIZE.rows };
}

const QUERY_POLL_MS = 30;

/** Limit of one read. */
const QUERY_READ_BYTES = 256 * 1024;

/**
 * Answers terminal queries (cursor position, device attributes) of a background run, because some programs wait
 * for the answer. Ends with the run and does not keep the event loop alive.
 */
export function answerTerminalQueries(run: Run, size: TerminalSize): void {
  const answer = (bytes: string): void => void run.send(bytes).catch(() => undefined);
  const screen = new Screen({ ...size, onAnswer: answer });
  const buffer = Buffer.allocUnsafe(QUERY_READ_BYTES);
  let position = 0;
  const poll = (): void => {
    const count = readFileAt(join(run.directory, RUN_FILES.out), { position, buffer });
    position += count;
    if (count > 0) void screen.write(Buffer.from(buffer.subarray(0, count)));
  };
  const timer = setInterval(poll, QUERY_POLL_MS);
  timer.unref();
  void run.ended.then(() => {
    clearInterval(timer);
    screen.close();
  });
}

/** Reads bytes of a file at a position. Returns their number, 0 when the file cannot be read. */
export function readFileAt(
  path: string,
  { position, buffer }: { readonly position: number; readonly buffer: Buffer },
): number {
  try {
    const fd = openSync(path, 'r');
    try {
      return readSync(fd, buffer, 0, buffer.length, position);
    } finally {
      closeSync(fd);
    }
  } catch {
    return 0;
  }
}
