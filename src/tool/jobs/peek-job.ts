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

/** Which part of a job's output. */
export interface PeekOptions {
  /**
   * So many of the last lines; not with `from`. Of a terminal, those that scrolled out included.
   *
   * @default 50; of a terminal, its screen
   */
  readonly lines?: number;
  /** From this byte on, as far as it fits. */
  readonly from?: number;
  /** @default 'out' */
  readonly stream?: StreamName;
  /**
   * How much text at most.
   *
   * @default 50 KiB
   */
  readonly maxBytes?: number;
}

/** A part of a job's output. Reading changes nothing: any number may read, and each goes on from its own place. */
export interface JobOutput {
  /** As a model or a person reads it; a last line without its newline is there, too. */
  readonly text: string;
  /** Where to go on from. */
  readonly next: number;
  readonly totalBytes: number;
  /** The lines shown, where they were counted. */
  readonly lines: readonly LineRange[];
  /** What is not there, and why. */
  readonly notes: readonly string[];
}

const DEFAULT_PEEK_LINES = 50;
const DEFAULT_PEEK_BYTES = 50 * 1024;

export async function peekJob(
  run: StoredRun,
  options: PeekOptions & { mask: SecretMask },
): Promise<JobOutput> {
  const { lines = DEFAULT_PEEK_LINES, from, stream = 'out', maxBytes = DEFAULT_PEEK_BYTES, mask } = options;
  const name = `artifact://${run.id}`;
  const place = { directory: run.directory, stream };
  const terminal = terminalSizeOf(run.asked);
  if (terminal !== null && from === undefined)
    return peekScreen(rawOutputFromFiles(place), { size: terminal, lines: options.lines, mask });
  if (from !== undefined)
    return peekFromByte(new Artifact({ source: rawOutputFromFiles(place), name, mask, maxBytes }), {
      from,
      maxBytes,
    });
  const end = await readLastOutputLines(place, { name, lines, maxBytes, mask });
  return { ...end, next: end.totalBytes };
}

interface ScreenPeek {
  readonly size: TerminalSize;
  readonly lines: number | undefined;
  readonly mask: SecretMask;
}

/** The screen as it is now; with `lines`, so many of the last ones, those that scrolled out included. */
async function peekScreen(source: RawOutput, { size, lines, mask }: ScreenPeek): Promise<JobOutput> {
  const { screen, notes } = await replayScreen(source, size);
  // A program that has taken the whole screen has nothing that scrolled out.
  const isScreen = lines === undefined || screen.isFull;
  const shown = isScreen ? screen.rows() : screen.lines().slice(-lines);
  const { column, row } = screen.cursor;
  screen.close();
  const { totalBytes } = source;
  const where = `The screen, ${size.columns} by ${size.rows}; the cursor is in row ${row + 1}, column ${column + 1}.`;
  return {
    text: mask.apply(shown.join('\n')),
    next: totalBytes,
    totalBytes,
    lines: [],
    notes: [...(isScreen ? [where] : []), ...notes],
  };
}

async function peekFromByte(
  artifact: Artifact,
  { from, maxBytes }: { readonly from: number; readonly maxBytes: number },
): Promise<JobOutput> {
  const { totalBytes } = artifact;
  const raw = await artifact.bytes({ from, to: Math.min(totalBytes, from + maxBytes) });
  // The rest of a character may still be on its way: it belongs to the next part.
  const next = raw.to - incompleteUtf8Bytes(raw.bytes);
  const { text, notes } = await artifact.text({ from: raw.from, to: next });
  return {
    text,
    next,
    totalBytes,
    lines: [],
    notes: notes.filter((note) => !note.includes('go on from byte')),
  };
}
