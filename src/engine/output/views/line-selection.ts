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

interface LineCollectorLimits {
  readonly headBytes: number;
  readonly tailBytes: number;
  /** Line widths if everything fits, and if not. */
  readonly wideColumns: number;
  readonly narrowColumns: number;
}

/** All lines of an output, sorted into head, tail and failures. */
interface CollectedLines {
  readonly head: readonly SizedLine[];
  readonly tail: readonly SizedLine[];
  /** Whether every line is in `head` or `tail`. */
  readonly complete: boolean;
  /** Bytes of all lines at the two widths. */
  readonly wideBytes: number;
  readonly narrowBytes: number;
  /** Failures among the lines between head and tail. */
  readonly failures: FailureCollector;
}

/** Keeps the first and last lines of a stream and collects failures from the lines between. */
export class LineCollector {
  readonly #limits: LineCollectorLimits;
  readonly #failures = new FailureCollector();
  readonly #head: SizedLine[] = [];
  #headBytesLeft: number;
  #headOpen = true;
  #tail: SizedLine[] = [];
  /** Index of the first line of `#tail` that has not left. */
  #tailStart = 0;
  #tailBytes = 0;
  #wideBytes = 0;
  #narrowBytes = 0;
  #complete = true;

  constructor(limits: LineCollectorLimits) {
    this.#limits = limits;
    this.#headBytesLeft = limits.headBytes;
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

  /** The next line is not adjacent to the last one, so the tail begins again. */
  markGap(): void {
    this.#headOpen = false;
    this.#complete = false;
    while (this.#tailStart < this.#tail.length) this.#evict();
  }

  /** Examines a line from the middle of a long output. */
  assessSkipped(line: FailureLine, readBefore: ReadLinesBefore): LineAssessment {
    return this.#failures.assess(line, readBefore);
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

  /** The first line is always taken; if it is too long, its two ends are shown. */
  #addHead(entry: SizedLine): void {
    if (this.#head.length > 0 && entry.bytes > this.#headBytesLeft) {
      this.#headOpen = false;
      this.#addTail(entry);
      return;
    }
    this.#head.push(entry);
    this.#headBytesLeft -= entry.bytes;
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
    // Not for every line: that would copy the list each time.
    if (this.#tailStart > 1000 && this.#tailStart * 2 > this.#tail.length) {
      this.#tail = this.#tail.slice(this.#tailStart);
      this.#tailStart = 0;
    }
  }
}

/** For an incomplete line only the start is examined. */
function toFailureLine({ number, line, rawBytes }: NumberedLine): FailureLine {
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
  /** Not a line of the output, but the count of lines omitted here. */
  readonly marker: boolean;
  /** The raw lines it stands for. */
  readonly covers: CoveredLines;
}

/** The lines of an output that are shown, before rendering. */
export interface LineSelection {
  /** `whole`: every line is shown, though some may be shortened. */
  readonly kind: 'whole' | 'cut';
  readonly head: readonly ShownLine[];
  readonly between: readonly SelectedLine[];
  readonly tail: readonly ShownLine[];
  readonly columns: number;
}

/** How the budget of a view is divided. */
export interface SelectionLimits {
  readonly budgetBytes: number;
  /** Part of the budget for the truncation notice. */
  readonly noticeBytes: number;
  /** Shares of the budget. The tail gets the rest. */
  readonly headShare: number;
  readonly failureShare: number;
  readonly wideColumns: number;
  readonly narrowColumns: number;
}

/** A shorter part of a line is useless. */
const MIN_LINE_BYTES = 48;

/** Selects all lines if they fit, otherwise the head, the tail and the failures between them. */
export function selectLines(collected: CollectedLines, limits: SelectionLimits): LineSelection {
  if (collected.complete) {
    const { wideBytes, narrowBytes } = collected;
    const wide = wideBytes > limits.budgetBytes ? null : selectAllLines(collected, limits.wideColumns);
    if (wide !== null && !hasClippedLines(wide)) return wide;
    const bytesLeft = limits.budgetBytes - limits.noticeBytes;
    if (wide !== null && wideBytes <= bytesLeft) return wide;
    if (narrowBytes <= bytesLeft) return selectAllLines(collected, limits.narrowColumns);
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
  const headBytes = entries.length === 0 ? budgetBytes : Math.floor(budgetBytes * limits.headShare);
  const head = takeLines(collected.head, { columns, bytes: headBytes });
  const bytesLeft = budgetBytes - countShownBytes(head);
  const failureBytes = Math.min(bytesLeft, Math.floor(budgetBytes * limits.failureShare));
  const backwards = entries.toReversed();
  const certain = takeLines(backwards, { columns, bytes: bytesLeft - failureBytes });
  // A line that leaves the tail to make space may be a failure itself.
  for (const entry of entries.slice(0, entries.length - certain.length))
    if (entry.marker !== true) failures.add(toFailureLine(entry));
  const { lines } = failures.select({ maxBytes: failureBytes });
  const used = lines.reduce((sum, line) => sum + Buffer.byteLength(renderNumberedLine(line)) + 1, 0);
  const tail = takeLines(backwards, { columns, bytes: bytesLeft - used }).reverse();
  const start = tail[0]?.number ?? Number.POSITIVE_INFINITY;
  return { kind: 'cut', head, between: lines.filter(({ number }) => number < start), tail, columns };
}

/** Renders a failure line with its number and, if there are similar lines, their count. */
export function renderNumberedLine({ number, text, similarCount }: SelectedLine): string {
  const line = `${number}: ${text}`;
  return similarCount === 0 ? line : `${line}\n${renderSimilarCount(similarCount)}`;
}

interface LineBudget {
  readonly columns: number;
  readonly bytes: number;
}

/** Takes as many lines as fit. If the first one alone is too long, its two ends are taken. */
function takeLines(entries: readonly SizedLine[], { columns, bytes }: LineBudget): ShownLine[] {
  const shown: ShownLine[] = [];
  let bytesLeft = bytes;
  for (const entry of entries) {
    const tooLong = entry.bytes > bytesLeft;
    if (tooLong && (shown.length > 0 || bytesLeft < MIN_LINE_BYTES)) break;
    const line = toShownLine(entry, { columns, bytes: bytesLeft - 1 });
    shown.push(line);
    bytesLeft -= Buffer.byteLength(line.text) + 1;
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
