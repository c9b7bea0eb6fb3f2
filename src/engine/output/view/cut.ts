import type { ChosenLine } from '../failures/groups.ts';
import { renderAlike } from '../failures/spend.ts';
import { type Collected, toCandidate } from './collector.ts';
import type { Covered, SizedEntry } from './entry.ts';
import { clipLine } from './shown-line.ts';

/** A line as it is shown. */
export interface ShownLine {
  readonly number: number;
  readonly text: string;
  readonly rawBytes: number;
  readonly leftOutBytes: number;
  readonly ended: boolean;
  /** No line of the output, but the count of lines that were left out here. */
  readonly marker: boolean;
  /** Which lines of the raw output it stands for. */
  readonly covers: Covered;
}

/** What is shown of an output, before it becomes text. */
export interface Selection {
  /** `whole`: every line, though some may be cut. */
  readonly kind: 'whole' | 'cut';
  readonly head: readonly ShownLine[];
  readonly between: readonly ChosenLine[];
  readonly tail: readonly ShownLine[];
  readonly columns: number;
}

export interface CutLimits {
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
export function selectLines(collected: Collected, limits: CutLimits): Selection {
  if (collected.complete) {
    const { wideBytes, narrowBytes } = collected;
    const wide = wideBytes > limits.budgetBytes ? null : showAll(collected, limits.wideColumns);
    if (wide !== null && !isClipped(wide)) return wide;
    const room = limits.budgetBytes - limits.noticeBytes;
    if (wide !== null && wideBytes <= room) return wide;
    if (narrowBytes <= room) return showAll(collected, limits.narrowColumns);
  }
  return cutLines(collected, limits);
}

function isClipped({ head }: Selection): boolean {
  return head.some(({ leftOutBytes }) => leftOutBytes > 0);
}

function showAll({ head, tail }: Collected, columns: number): Selection {
  const lines = [...head, ...tail].map((entry) => show(entry, { columns, bytes: Number.POSITIVE_INFINITY }));
  return { kind: 'whole', head: lines, between: [], tail: [], columns };
}

function cutLines(collected: Collected, limits: CutLimits): Selection {
  const { narrowColumns: columns } = limits;
  const { tail: entries, failures } = collected;
  const budgetBytes = Math.max(0, limits.budgetBytes - limits.noticeBytes);
  const headRoom = entries.length === 0 ? budgetBytes : Math.floor(budgetBytes * limits.headShare);
  const head = takeLines(collected.head, { columns, bytes: headRoom });
  const room = budgetBytes - bytesOf(head);
  const failureRoom = Math.min(room, Math.floor(budgetBytes * limits.failureShare));
  const backwards = entries.toReversed();
  const certain = takeLines(backwards, { columns, bytes: room - failureRoom });
  // What leaves the tail to make room for failures may be one itself.
  for (const entry of entries.slice(0, entries.length - certain.length))
    if (entry.marker !== true) failures.add(toCandidate(entry));
  const { lines } = failures.choose({ maxBytes: failureRoom });
  const used = lines.reduce((sum, line) => sum + Buffer.byteLength(renderNumbered(line)) + 1, 0);
  const tail = takeLines(backwards, { columns, bytes: room - used }).reverse();
  const start = tail[0]?.number ?? Number.POSITIVE_INFINITY;
  return { kind: 'cut', head, between: lines.filter(({ number }) => number < start), tail, columns };
}

/** A line from between head and tail as it is shown, and, if there are more like it, the count of these. */
export function renderNumbered({ number, text, alike }: ChosenLine): string {
  const line = `${number}: ${text}`;
  return alike === 0 ? line : `${line}\n${renderAlike(alike)}`;
}

interface Room {
  readonly columns: number;
  readonly bytes: number;
}

/** As many as have room. Of the first one, if it alone is too long, both ends are taken. */
function takeLines(entries: readonly SizedEntry[], { columns, bytes }: Room): ShownLine[] {
  const shown: ShownLine[] = [];
  let room = bytes;
  for (const entry of entries) {
    const tooLong = entry.bytes > room;
    if (tooLong && (shown.length > 0 || room < MIN_LINE_BYTES)) break;
    const line = show(entry, { columns, bytes: room - 1 });
    shown.push(line);
    room -= Buffer.byteLength(line.text) + 1;
  }
  return shown;
}

function show(entry: SizedEntry, { columns, bytes }: Room): ShownLine {
  const { number, line, rawBytes, ended, marker, covers = { last: number, lines: 1 } } = entry;
  const clipped = clipLine(line, { characters: columns, bytes });
  return { number, rawBytes, ended, marker: marker === true, covers, ...clipped };
}

function bytesOf(lines: readonly ShownLine[]): number {
  return lines.reduce((sum, { text }) => sum + Buffer.byteLength(text) + 1, 0);
}
