import { Artifact } from '../../engine/output/raw/artifact.ts';
import { type RawOutput, rawOutputFromFiles } from '../../engine/output/raw/raw-output.ts';
import type { SecretMask } from '../../engine/output/secret-mask.ts';
import type { StreamName } from '../../engine/run/run-files.ts';
import type { StoredRun } from '../../engine/run/run-store.ts';
import type { TerminalSize } from '../../engine/run/run-terminal.ts';
import { incompleteUtf8Bytes } from '../../engine/text/utf8.ts';
import type { LineRange } from '../contract/result.ts';
import { readLastOutputLines } from './job-end.ts';
import { replayScreen, terminalSizeOf } from './terminal-screen.ts';

/** Options of `peek`: which part of the output to read. */
export interface PeekOptions {
  /**
   * Number of last lines; not with `from`. For a terminal, this includes the scrollback.
   *
   * @default 50; for a terminal, its screen
   */
  readonly lines?: number | undefined;
  /** Byte offset to read from, up to `maxBytes`. */
  readonly from?: number | undefined;
  /** @default 'out' */
  readonly stream?: StreamName;
  /**
   * Maximum size of the text.
   *
   * @default 50 KiB
   */
  readonly maxBytes?: number;
}

/** Part of a job's output. Reading does not consume it. */
export interface JobOutput {
  /** Readable text, with secrets masked; an incomplete last line is included. */
  readonly text: string;
  /** Byte offset for the next read. */
  readonly next: number;
  readonly totalBytes: number;
  /** Line numbers of the text; empty when lines were not counted. */
  readonly lines: readonly LineRange[];
  /** What is missing from the text, and why. */
  readonly notes: readonly string[];
}

const DEFAULT_PEEK_LINES = 50;
const DEFAULT_PEEK_BYTES = 50 * 1024;

/** Reads part of a job's output, or the screen of its terminal. */
export async function peekJob(
  run: StoredRun,
  options: PeekOptions & { mask: SecretMask },
): Promise<JobOutput> {
  const { lines = DEFAULT_PEEK_LINES, from, stream = 'out', maxBytes = DEFAULT_PEEK_BYTES, mask } = options;
  const name = `artifact://${run.id}`;
  const location = { directory: run.directory, stream };
  if (from !== undefined) {
    const source = rawOutputFromFiles(location);
    return peekFromByte(new Artifact({ source, name, mask, maxBytes }), { from, maxBytes });
  }
  const size = terminalSizeOf(run.asked);
  if (size !== null) return peekScreen(rawOutputFromFiles(location), { size, lines: options.lines, mask });
  const end = await readLastOutputLines(location, { name, lines, maxBytes, mask });
  return { ...end, next: end.totalBytes };
}

interface ScreenPeek {
  readonly size: TerminalSize;
  readonly lines: number | undefined;
  readonly mask: SecretMask;
}

/** Reads the current screen, or the last `lines` including the scrollback. */
async function peekScreen(source: RawOutput, { size, lines, mask }: ScreenPeek): Promise<JobOutput> {
  const { screen, notes } = await replayScreen(source, size);
  // The alternate screen has no scrollback.
  const isScreen = lines === undefined || screen.isFull;
  const shown = isScreen ? screen.rows() : screen.lines().slice(-lines);
  const { column, row } = screen.cursor;
  screen.close();
  const { totalBytes } = source;
  const position = `The screen, ${size.columns} by ${size.rows}; the cursor is in row ${row + 1}, column ${column + 1}.`;
  return {
    text: mask.apply(shown.join('\n')),
    next: totalBytes,
    totalBytes,
    lines: [],
    notes: [...(isScreen ? [position] : []), ...notes],
  };
}

async function peekFromByte(
  artifact: Artifact,
  { from, maxBytes }: { readonly from: number; readonly maxBytes: number },
): Promise<JobOutput> {
  const { totalBytes } = artifact;
  const raw = await artifact.bytes({ from, to: Math.min(totalBytes, from + maxBytes) });
  // An incomplete UTF-8 character at the end belongs to the next read.
  const next = raw.to - incompleteUtf8Bytes(raw.bytes);
  const { text, notes } = await artifact.text({ from: raw.from, to: next });
  return { text, next, totalBytes, lines: [], notes };
}
