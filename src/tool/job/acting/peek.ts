import { Artifact } from '../../../engine/output/kept/artifact.ts';
import { sourceOfKept } from '../../../engine/output/kept/source.ts';
import type { Mask } from '../../../engine/output/mask.ts';
import type { StreamName } from '../../../engine/run/files.ts';
import type { StoredRun } from '../../../engine/run/record/store.ts';
import { unfinishedBytes } from '../../../engine/text/utf8.ts';
import type { LineRange } from '../../result.ts';
import { readEnd } from './read-end.ts';

/** Which part of a job's output. */
export interface PeekOptions {
  /**
   * So many of the last lines; not with `from`.
   *
   * @default 50
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

const LINES = 50;
const MAX_BYTES = 50 * 1024;

export async function peekAt(run: StoredRun, options: PeekOptions & { mask: Mask }): Promise<JobOutput> {
  const { lines = LINES, from, stream = 'out', maxBytes = MAX_BYTES, mask } = options;
  const name = `artifact://${run.id}`;
  const place = { directory: run.directory, stream };
  if (from !== undefined)
    return readOn(new Artifact({ source: sourceOfKept(place), name, mask, maxBytes }), { from, maxBytes });
  const end = await readEnd(place, { name, lines, maxBytes, mask });
  return { ...end, next: end.totalBytes };
}

async function readOn(
  artifact: Artifact,
  { from, maxBytes }: { readonly from: number; readonly maxBytes: number },
): Promise<JobOutput> {
  const { totalBytes } = artifact;
  const raw = await artifact.bytes({ from, to: Math.min(totalBytes, from + maxBytes) });
  // The rest of a character may still be on its way: it belongs to the next part.
  const next = raw.to - unfinishedBytes(raw.bytes);
  const { text, notes } = await artifact.text({ from: raw.from, to: next });
  return {
    text,
    next,
    totalBytes,
    lines: [],
    notes: notes.filter((note) => !note.includes('go on from byte')),
  };
}
