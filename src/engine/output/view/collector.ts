import { type Considered, FailureLines, type Recall } from '../failures/failure-lines.ts';
import type { FailureLine } from '../failures/groups.ts';
import type { Entry, SizedEntry } from './entry.ts';
import { clippedBytes } from './shown-line.ts';

export interface CollectorLimits {
  readonly headBytes: number;
  readonly tailBytes: number;
  /** How wide lines are where everything fits, and where not. */
  readonly wideColumns: number;
  readonly narrowColumns: number;
}

/** What came of all lines. */
export interface Collected {
  readonly head: readonly SizedEntry[];
  readonly tail: readonly SizedEntry[];
  /** Whether every line is in `head` or `tail`. */
  readonly complete: boolean;
  /** Bytes of all lines at both widths. */
  readonly wideBytes: number;
  readonly narrowBytes: number;
  /** Fed with the lines between head and tail. */
  readonly failures: FailureLines;
}

/** Sorts lines that come one by one into the first, the last, and those between, of which only failures stay. */
export class Collector {
  readonly #limits: CollectorLimits;
  readonly #failures = new FailureLines();
  readonly #head: SizedEntry[] = [];
  #headRoom: number;
  #headOpen = true;
  #tail: SizedEntry[] = [];
  /** Entries of `#tail` before this one have left. */
  #tailStart = 0;
  #tailBytes = 0;
  #wideBytes = 0;
  #narrowBytes = 0;
  #complete = true;

  constructor(limits: CollectorLimits) {
    this.#limits = limits;
    this.#headRoom = limits.headBytes;
  }

  add(entry: Entry): void {
    const { wideColumns, narrowColumns } = this.#limits;
    const wide = clippedBytes(entry.line, wideColumns);
    const bytes = wide <= narrowColumns ? wide : clippedBytes(entry.line, narrowColumns);
    this.#wideBytes += wide;
    this.#narrowBytes += bytes;
    const { number, line, rawBytes, ended, marker, covers } = entry;
    const sized: SizedEntry = { number, line, rawBytes, ended, marker, covers, bytes };
    if (this.#headOpen) this.#addHead(sized);
    else this.#addTail(sized);
  }

  /** What comes next does not follow on what came: the tail begins anew. */
  breakOff(): void {
    this.#headOpen = false;
    this.#complete = false;
    while (this.#tailStart < this.#tail.length) this.#evict();
  }

  /** A line from the middle of a long output, of which only failures stay. */
  glance(line: FailureLine, recall: Recall): Considered {
    return this.#failures.consider(line, recall);
  }

  finish(): Collected {
    return {
      head: this.#head,
      tail: this.#tail.slice(this.#tailStart),
      complete: this.#complete,
      wideBytes: this.#wideBytes,
      narrowBytes: this.#narrowBytes,
      failures: this.#failures,
    };
  }

  /** The first line is always taken: if it is too long, both its ends are shown. */
  #addHead(entry: SizedEntry): void {
    if (this.#head.length > 0 && entry.bytes > this.#headRoom) {
      this.#headOpen = false;
      this.#addTail(entry);
      return;
    }
    this.#head.push(entry);
    this.#headRoom -= entry.bytes;
  }

  #addTail(entry: SizedEntry): void {
    this.#tail.push(entry);
    this.#tailBytes += entry.bytes;
    while (this.#tailBytes > this.#limits.tailBytes && this.#tail.length - this.#tailStart > 1) this.#evict();
  }

  #evict(): void {
    const entry = this.#tail[this.#tailStart];
    this.#tailStart += 1;
    this.#complete = false;
    if (entry === undefined) return;
    this.#tailBytes -= entry.bytes;
    if (entry.marker !== true) this.#failures.add(toCandidate(entry));
    // Not with every entry: that would copy the list again and again.
    if (this.#tailStart > 1000 && this.#tailStart * 2 > this.#tail.length) {
      this.#tail = this.#tail.slice(this.#tailStart);
      this.#tailStart = 0;
    }
  }
}

/** A line that may tell of a failure. Of one that is not whole only the start is looked at. */
export function toCandidate({ number, line, rawBytes }: Entry): FailureLine {
  if (line.missing === null) return { number, text: line.start, rawBytes };
  return { number, text: `${line.start}…`, rawBytes: Buffer.byteLength(line.start) };
}
