import {
  FailureCollector,
  type LineAssessment,
  type ReadLinesBefore,
} from '../failures/failure-collector.ts';
import { type FailureLine, renderSimilarCount, type SelectedLine } from '../failures/failure-groups.ts';
import {
  type CoveredLines,
  clipLine,
  countClippedBytes,
  type NumberedLine,
  type SizedLine,
} from '../masked-line.ts';

export interface LineCollectorLimits {
  readonly headBytes: number;
  readonly tailBytes: number;
  /** How wide lines are where everything fits, and where not. */
  readonly wideColumns: number;
  readonly narrowColumns: number;
}

/** What came of all lines. */
export interface CollectedLines {
  readonly head: readonly SizedLine[];
  readonly tail: readonly SizedLine[];
  /** Whether every line is in `head` or `tail`. */
  readonly complete: boolean;
  /** Bytes of all lines at both widths. */
  readonly wideBytes: number;
  readonly narrowBytes: number;
  /** Fed with the lines between head and tail. */
  readonly failures: FailureCollector;
}

/** Sorts lines that come one by one into the first, the last, and those between, of which only failures stay. */
export class LineCollector {
  readonly #limits: LineCollectorLimits;
  readonly #failures = new FailureCollector();
  readonly #head: SizedLine[] = [];
  #headRoom: number;
  #headOpen = true;
  #tail: SizedLine[] = [];
  /** Entries of `#tail` before this one have left. */
  #tailStart = 0;
  #tailBytes = 0;
  #wideBytes = 0;
  #narrowBytes = 0;
  #complete = true;

  constructor(limits: LineCollectorLimits) {
    this.#limits = limits;
    this.#headRoom = limits.headBytes;
  }

  add(entry: NumberedLine): void {
    const { wideColumns, narrowColumns } = this.#limits;
    const wide = countClippedBytes(entry.line, wideColumns);
    const bytes = wide <= narrowColumns ? wide : countClippedBytes(entry.line, narrowColumns);
    this.#wideBytes += wide;
    this.#narrowBytes += bytes;
    const { number, line, rawBytes, ended, marker, covers } = entry;
    const sized: SizedLine = { number, line, rawBytes, ended, marker, covers, bytes };
    if (this.#headOpen) this.#addHead(sized);
    else this.#addTail(sized);
  }

  /** What comes next does not follow on what came: the tail begins anew. */
  markGap(): void {
    this.#headOpen = false;
    this.#complete = false;
    while (this.#tailStart < this.#tail.length) this.#evict();
  }

  /** A line from the middle of a long output, of which only failures stay. */
  assessSkipped(line: FailureLine, recall: ReadLinesBefore): LineAssessment {
    return this.#failures.assess(line, recall);
  }

  finish(): CollectedLines {
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
  #addHead(entry: SizedLine): void {
    if (this.#head.length > 0 && entry.bytes > this.#headRoom) {
      this.#headOpen = false;
      this.#addTail(entry);
      return;
    }
    this.#head.push(entry);
    this.#headRoom -= entry.bytes;
  }

  #addTail(entry: SizedLine): void {
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
    if (entry.marker !== true) this.#failures.add(toFailureLine(entry));
    // Not with every entry: that would copy the list again and again.
    if (this.#tailStart > 1000 && this.#tailStart * 2 > this.#tail.length) {
      this.#tail = this.#tail.slice(this.#tailStart);
      this.#tailStart = 0;
    }
  }
}

/** A line that may tell of a failure. Of one that is not whole only the start is looked at. */
export function toFailureLine({ number, line, rawBytes }: NumberedLine): FailureLine {
  if (line.missing === null) return { number, text: line.start, rawBytes };
  return { number, text: `${line.start}…`, rawBytes: Buffer.byteLength(line.start) };
}

/** A line as it is shown. */
export interface ShownLine {
  readonly number: number;
  readonly text: string;
  readonly rawBytes: number;
  readonly omittedBytes: number;
  readonly ended: boolean;
  /** No line of the output, but the count of lines that were left out here. */
  readonly marker: boolean;
  /** Which lines of the raw output it stands for. */
  readonly covers: CoveredLines;
}

/** What is shown of an output, before it becomes text. */
export interface LineSelection {
  /** `whole`: every line, though some may be cut. */
  readonly kind: 'whole' | 'cut';
  readonly head: readonly ShownLine[];
  readonly between: readonly SelectedLine[];
  readonly tail: readonly ShownLine[];
  readonly columns: number;
}

export interface SelectionLimits {
  readonly budgetBytes: number;
  /** Of the budget, for the notice of a cut. */
  readonly noticeBytes: number;
  /** Of the budget. The tail gets the rest, and what failures leave over. */
  readonly headShare: number;
  readonly failureShare: number;
  readonly wideColumns: number;
  readonly narrowColumns: number;
}

/** Less than this of a line says nothing. */
const MIN_LINE_BYTES = 48;

/** Everything where it fits; else the head, the tail, and from between them what tells of failures. */
export function selectLines(collected: CollectedLines, limits: SelectionLimits): LineSelection {
  if (collected.complete) {
    const { wideBytes, narrowBytes } = collected;
    const wide = wideBytes > limits.budgetBytes ? null : selectAllLines(collected, limits.wideColumns);
    if (wide !== null && !hasClippedLines(wide)) return wide;
    const room = limits.budgetBytes - limits.noticeBytes;
    if (wide !== null && wideBytes <= room) return wide;
    if (narrowBytes <= room) return selectAllLines(collected, limits.narrowColumns);
  }
  return truncateLines(collected, limits);
}

function hasClippedLines({ head }: LineSelection): boolean {
  return head.some(({ omittedBytes }) => omittedBytes > 0);
}

function selectAllLines({ head, tail }: CollectedLines, columns: number): LineSelection {
  const lines = [...head, ...tail].map((entry) =>
    toShownLine(entry, { columns, bytes: Number.POSITIVE_INFINITY }),
  );
  return { kind: 'whole', head: lines, between: [], tail: [], columns };
}

function truncateLines(collected: CollectedLines, limits: SelectionLimits): LineSelection {
  const { narrowColumns: columns } = limits;
  const { tail: entries, failures } = collected;
  const budgetBytes = Math.max(0, limits.budgetBytes - limits.noticeBytes);
  const headRoom = entries.length === 0 ? budgetBytes : Math.floor(budgetBytes * limits.headShare);
  const head = takeLines(collected.head, { columns, bytes: headRoom });
  const room = budgetBytes - countShownBytes(head);
  const failureRoom = Math.min(room, Math.floor(budgetBytes * limits.failureShare));
  const backwards = entries.toReversed();
  const certain = takeLines(backwards, { columns, bytes: room - failureRoom });
  // What leaves the tail to make room for failures may be one itself.
  for (const entry of entries.slice(0, entries.length - certain.length))
    if (entry.marker !== true) failures.add(toFailureLine(entry));
  const { lines } = failures.select({ maxBytes: failureRoom });
  const used = lines.reduce((sum, line) => sum + Buffer.byteLength(renderNumberedLine(line)) + 1, 0);
  const tail = takeLines(backwards, { columns, bytes: room - used }).reverse();
  const start = tail[0]?.number ?? Number.POSITIVE_INFINITY;
  return { kind: 'cut', head, between: lines.filter(({ number }) => number < start), tail, columns };
}

/** A line from between head and tail as it is shown, and, if there are more like it, the count of these. */
export function renderNumberedLine({ number, text, alike }: SelectedLine): string {
  const line = `${number}: ${text}`;
  return alike === 0 ? line : `${line}\n${renderSimilarCount(alike)}`;
}

interface LineBudget {
  readonly columns: number;
  readonly bytes: number;
}

/** As many as have room. Of the first one, if it alone is too long, both ends are taken. */
function takeLines(entries: readonly SizedLine[], { columns, bytes }: LineBudget): ShownLine[] {
  const shown: ShownLine[] = [];
  let room = bytes;
  for (const entry of entries) {
    const tooLong = entry.bytes > room;
    if (tooLong && (shown.length > 0 || room < MIN_LINE_BYTES)) break;
    const line = toShownLine(entry, { columns, bytes: room - 1 });
    shown.push(line);
    room -= Buffer.byteLength(line.text) + 1;
  }
  return shown;
}

function toShownLine(entry: SizedLine, { columns, bytes }: LineBudget): ShownLine {
  const { number, line, rawBytes, ended, marker, covers = { last: number, lines: 1 } } = entry;
  const clipped = clipLine(line, { characters: columns, bytes });
  return { number, rawBytes, ended, marker: marker === true, covers, ...clipped };
}

function countShownBytes(lines: readonly ShownLine[]): number {
  return lines.reduce((sum, { text }) => sum + Buffer.byteLength(text) + 1, 0);
}
