import type { StreamPlace } from '../../output/kept/pieces.ts';
import { type Extent, type RawSource, sourceOfKept } from '../../output/kept/source.ts';
import { type Line, LineReader } from '../../text/line-reader.ts';
import { countNewlines } from '../../text/newlines.ts';
import type { LinePattern, PatternLine } from './line-pattern.ts';

/** Where in the output something was found. */
export interface OutputMatch {
  /** The bytes of the line, its end included; `to` is also where to go on from. */
  readonly from: number;
  readonly to: number;
  /** Around what was found, as it would be shown. */
  readonly line: string;
  /** Counted from 1; `null` when the search began later, or part of the output is gone. */
  readonly lineNumber: number | null;
}

export interface OutputScanOptions {
  readonly place: StreamPlace;
  readonly pattern: LinePattern;
  /** The byte to begin with. */
  readonly from: number;
}

interface Reading {
  readonly source: RawSource;
  readonly signal: AbortSignal | undefined;
}

const NEWLINE = 10;
const RETURN = 13;
/** Longer lines are searched in windows that overlap by half of this. */
const MAX_OPEN_BYTES = 64 * 1024;
/** More than a window and what is read at a time: no line that gets this far is cut. */
const HOLD_CHARACTERS = 1024 * 1024;

/**
 * Looks for a pattern in output that may still be growing. Each look goes on where the last one stopped.
 *
 * Lines are searched as they would be shown, without escape sequences; each state of a line that was redrawn counts, and so does
 * a last line that has no newline yet. Memory does not grow with the output.
 */
export class OutputScan {
  readonly #place: StreamPlace;
  readonly #pattern: LinePattern;
  /** Up to here everything was read. */
  #at: number;
  /** The bytes before that which belong to a line that goes on. */
  #open: Buffer = Buffer.alloc(0);
  /** Newlines before the open line; `null` when nobody counted. */
  #newlines: number | null;

  constructor({ place, pattern, from }: OutputScanOptions) {
    this.#place = place;
    this.#pattern = pattern;
    this.#at = from;
    this.#newlines = from === 0 ? 0 : null;
  }

  /** Searches what came since the last look; stops between two reads when the signal is given. */
  async look(signal?: AbortSignal): Promise<OutputMatch | null> {
    const source = sourceOfKept(this.#place);
    const before = this.#at;
    for (const extent of source.extents.filter(({ to }) => to > before)) {
      const match = await this.#lookAt(extent, { source, signal });
      if (match !== null || signal?.aborted) return match;
    }
    return this.#at === before ? null : this.#searchOpen();
  }

  async #lookAt(extent: Extent, { source, signal }: Reading): Promise<OutputMatch | null> {
    const cut = extent.from > this.#at ? this.#leap(extent) : null;
    if (cut !== null) return cut;
    for await (const bytes of source.read({ from: this.#at, to: extent.to })) {
      const match = this.#feed(bytes);
      if (match !== null || signal?.aborted) return match;
    }
    return null;
  }

  /** What lies between was dropped before we came to it: the open line ends here. */
  #leap({ from }: Extent): OutputMatch | null {
    const match = this.#searchOpen();
    this.#at = from;
    this.#open = Buffer.alloc(0);
    this.#newlines = null;
    return match;
  }

  #feed(bytes: Buffer): OutputMatch | null {
    const all = Buffer.concat([this.#open, bytes]);
    const start = this.#at - this.#open.length;
    this.#at += bytes.length;
    const end = lastBreak(all) + 1;
    const match = end === 0 ? null : this.#search(all.subarray(0, end), start);
    if (match !== null) return match;
    this.#count(all.subarray(0, end));
    // A copy: the rest must not keep all of it in memory.
    this.#open = Buffer.from(all.subarray(end));
    return this.#open.length > MAX_OPEN_BYTES ? this.#shorten() : null;
  }

  #searchOpen(): OutputMatch | null {
    return this.#open.length === 0 ? null : this.#search(this.#open, this.#at - this.#open.length);
  }

  /** A very long line: what was searched is let go, but for an overlap. */
  #shorten(): OutputMatch | null {
    const match = this.#searchOpen();
    this.#open = Buffer.from(this.#open.subarray(-MAX_OPEN_BYTES / 2));
    return match;
  }

  #search(bytes: Buffer, start: number): OutputMatch | null {
    const lines: (PatternLine & { readonly rawBytes: number })[] = [];
    const onLine = ({ text, ended, rawBytes }: Line): void => void lines.push({ text, ended, rawBytes });
    const reader = new LineReader({ hold: HOLD_CHARACTERS, onLine });
    reader.write(withoutReturns(bytes));
    reader.end();
    const hit = this.#pattern.firstIn(lines);
    if (hit === null) return null;
    const from = lines.slice(0, hit.index).reduce((sum, { rawBytes }) => sum + rawBytes, start);
    return {
      from,
      to: from + (lines[hit.index]?.rawBytes ?? 0),
      line: hit.excerpt,
      lineNumber: this.#lineAfter(bytes.subarray(0, from - start)),
    };
  }

  #lineAfter(bytes: Buffer): number | null {
    return this.#newlines === null ? null : this.#newlines + countNewlines(bytes) + 1;
  }

  #count(bytes: Buffer): void {
    if (this.#newlines !== null) this.#newlines += countNewlines(bytes);
  }
}

function lastBreak(bytes: Buffer): number {
  return Math.max(bytes.lastIndexOf(NEWLINE), bytes.lastIndexOf(RETURN));
}

/** A return becomes a line end, so that each state of a redrawn line is a line. A byte stays a byte. */
function withoutReturns(bytes: Buffer): Buffer {
  if (!bytes.includes(RETURN)) return bytes;
  const copy = Buffer.from(bytes);
  for (let at = copy.indexOf(RETURN); at !== -1; at = copy.indexOf(RETURN, at + 1)) copy[at] = NEWLINE;
  return copy;
}
