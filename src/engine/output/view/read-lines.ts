import { type Line, LineReader } from '../../text/line-reader.ts';
import { Glance, type GlanceOptions } from '../failures/glance.ts';
import type { CountedSource } from '../kept/line-places.ts';
import type { Extent } from '../kept/source.ts';

export interface ReadLinesOptions {
  readonly extent: Extent;
  /** Characters held of each end of a line. */
  readonly hold: number;
  readonly onLine: (line: Line) => void;
  /** How the middle of much output is passed over; `null`: every line is read. */
  readonly passing: Passing | null;
}

export interface Passing extends GlanceOptions {
  /** Told when lines are passed over. */
  readonly onGap: () => void;
}

/** Less than this is read line by line. */
const PASSED_OVER_FROM = 4 * 1024 * 1024;
/** So much of both ends, too: far more than is ever shown. */
const EDGE_BYTES = 512 * 1024;
/** Where lines are this long, nothing is gained by passing them over. */
const LONGEST_LINE = 256 * 1024;
const NEWLINE = 10;

/** Reads an extent line by line; the middle of a long one is passed over. Tells how much nobody looked at. */
export async function readLines(source: CountedSource, options: ReadLinesOptions): Promise<number> {
  const { extent, hold, onLine, passing } = options;
  const reader = new LineReader({ hold, onLine, redraws: true });
  const isLong = passing !== null && extent.to - extent.from >= PASSED_OVER_FROM;
  const passer = isLong ? new Passer(reader, { extent, passing }) : reader;
  for await (const bytes of source.read(extent)) passer.write(bytes);
  reader.end();
  return passer instanceof Passer ? passer.skippedBytes : 0;
}

/** Reads both ends of an extent and glances at what is between them. */
class Passer {
  readonly #reader: LineReader;
  readonly #glance: Glance;
  readonly #passing: Passing;
  #state: 'front' | 'middle' | 'back' = 'front';
  /** How many bytes are to come before the middle begins, or before it ends. */
  #left: number;
  readonly #middleBytes: number;

  constructor(reader: LineReader, { extent, passing }: { extent: Extent; passing: Passing }) {
    this.#reader = reader;
    this.#passing = passing;
    this.#glance = new Glance(passing);
    this.#left = EDGE_BYTES;
    this.#middleBytes = extent.to - extent.from - 2 * EDGE_BYTES;
  }

  get skippedBytes(): number {
    return this.#glance.skippedBytes;
  }

  write(bytes: Buffer): void {
    if (this.#state === 'back') this.#reader.write(bytes);
    else if (this.#state === 'middle') this.#writeMiddle(bytes);
    else this.#writeFront(bytes);
  }

  /** The middle begins with a line. */
  #writeFront(bytes: Buffer): void {
    const newline = this.#left > bytes.length ? -1 : bytes.indexOf(NEWLINE, Math.max(0, this.#left));
    this.#left -= bytes.length;
    if (newline === -1) {
      this.#reader.write(bytes);
      return;
    }
    this.#reader.write(bytes.subarray(0, newline + 1));
    this.#state = 'middle';
    this.#left += this.#middleBytes + bytes.length - newline - 1;
    this.#reader.settle();
    this.#glance.begin(this.#passing.firstLine + this.#reader.index);
    this.#passing.onGap();
    this.#writeMiddle(bytes.subarray(newline + 1));
  }

  #writeMiddle(bytes: Buffer): void {
    const end = Math.max(0, Math.min(this.#left, bytes.length));
    this.#glance.write(bytes.subarray(0, end));
    this.#left -= bytes.length;
    if (this.#left > 0 && this.#glance.rest().length < LONGEST_LINE) return;
    this.#state = 'back';
    this.#reader.leap(this.#glance.line - this.#passing.firstLine);
    this.#reader.write(Buffer.from(this.#glance.rest()));
    this.#reader.write(bytes.subarray(end));
  }
}
