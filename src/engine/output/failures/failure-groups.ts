import { toGroupedNumber } from '../../text/format-size.ts';
import { codePointBoundaryBefore, copyString } from '../../text/utf8.ts';
import type { FailureRank } from './failure-pattern.ts';

/** A line of output with its number, as failure detection sees it. */
export interface FailureLine {
  readonly number: number;
  readonly text: string;
  /** Size in the raw output. */
  readonly rawBytes: number;
}

/** A failure line that is shown. */
export interface SelectedLine extends FailureLine {
  /** Number of similar lines that are not shown; rendered in a line after it. */
  readonly similarCount: number;
}

/** A failure line with the lines that belong to it. */
export interface FailureGroup {
  /** The matching line first, then the lines found near it, most useful first. */
  readonly lines: FailureLine[];
  readonly key: string;
  /** Number of later lines similar to the first one, and some of these lines. */
  repeats: number;
  readonly repeated: FailureLine[];
}

const MAX_CHARACTERS = 400;
/** Number of similar lines kept per group, shown if there is space. */
const MAX_REMEMBERED_REPEATS = 12;

/** Keeps the first and last groups of a pattern in bounded memory; similar groups are counted. */
export class FailureGroups {
  readonly #capacity: number;
  readonly #first: FailureGroup[] = [];
  #last: FailureGroup[] = [];
  readonly #byKey = new Map<string, FailureGroup>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Returns the group that the line begins or repeats. */
  add(line: FailureLine): { readonly group: FailureGroup; readonly repeats: boolean } {
    const key = toGroupKey(line.text);
    const known = this.#byKey.get(key);
    if (known !== undefined) {
      known.repeats += 1;
      if (!isGroupFull(known)) known.repeated.push(shortenLine(line));
      return { group: known, repeats: true };
    }
    const group: FailureGroup = { lines: [shortenLine(line)], key, repeats: 0, repeated: [] };
    this.#byKey.set(key, group);
    if (this.#first.length < this.#capacity) this.#first.push(group);
    else this.#addLast(group);
    return { group, repeats: false };
  }

  /** First, last, second, last but one, and so on. */
  fromBothEnds(): FailureGroup[] {
    const all = [...this.#first, ...this.#last.slice(-this.#capacity)];
    return all
      .map((_, index) => all.at(index % 2 === 0 ? index / 2 : -(index + 1) / 2))
      .filter((group) => group !== undefined);
  }

  #addLast(group: FailureGroup): void {
    this.#last.push(group);
    if (this.#last.length < 2 * this.#capacity) return;
    for (const { key } of this.#last.slice(0, this.#capacity)) this.#byKey.delete(key);
    this.#last = this.#last.slice(this.#capacity);
  }
}

/** Whether further similar lines are only counted. */
export function isGroupFull({ repeated }: FailureGroup): boolean {
  return repeated.length >= MAX_REMEMBERED_REPEATS;
}

/** Clips a line to the shown width and copies it, so that it keeps no larger string in memory. */
export function shortenLine({ number, text, rawBytes }: FailureLine): FailureLine {
  if (text.length <= MAX_CHARACTERS) return { number, text: copyString(text), rawBytes };
  const end = codePointBoundaryBefore(text, MAX_CHARACTERS);
  const rest = text.slice(end);
  const marker = `[… ${toGroupedNumber([...rest].length)} characters …]`;
  return {
    number,
    text: copyString(text.slice(0, end) + marker),
    rawBytes: rawBytes - Buffer.byteLength(rest),
  };
}

/** Lines that differ only in numbers, addresses and ids have the same key. */
function toGroupKey(text: string): string {
  return text
    .slice(0, MAX_CHARACTERS)
    .replace(/\b(?=[a-f]*\d)[\da-f]{6,}\b|\d+/g, '#')
    .trim();
}

interface FailureSelectionInput {
  readonly groups: Readonly<Record<FailureRank, readonly FailureGroup[]>>;
  /** Number of matching lines per rank. */
  readonly counts: Readonly<Record<FailureRank, number>>;
  readonly maxBytes: number;
}

/** Lines of each failure that are selected before any further lines. */
const CORE_LINES = 3;
/** Number of groups per rank in the first round; the rest of each rank follows after all ranks. */
const FIRST_ROUND_GROUPS: Readonly<Record<FailureRank, number>> = {
  failure: 8,
  summary: 4,
  maybe: 4,
  warning: 2,
};
/** With more possible failures than this, only a few of them are shown. */
const FLOOD_LINES = 200;
const FLOOD_SHOWN_GROUPS = 6;
/** With this many certain failures, possible ones are not shown. */
const ENOUGH_FAILURES = 6;

/**
 * Selects lines within a size: the core of each group first, then the rest of the groups, then similar lines.
 */
export function selectFailureLines({ groups, counts, maxBytes }: FailureSelectionInput): SelectedLine[] {
  const { failure, summary } = groups;
  const maybe = failure.length >= ENOUGH_FAILURES ? [] : limitFloodedGroups(groups.maybe, counts.maybe);
  const warning = failure.length >= ENOUGH_FAILURES ? [] : limitFloodedGroups(groups.warning, counts.warning);
  const all: Readonly<Record<FailureRank, readonly FailureGroup[]>> = { failure, summary, maybe, warning };
  const ranks = ['failure', 'summary', 'maybe', 'warning'] as const;
  const first = ranks.flatMap((rank) => all[rank].slice(0, FIRST_ROUND_GROUPS[rank]));
  const later = ranks.flatMap((rank) => all[rank].slice(FIRST_ROUND_GROUPS[rank]));
  const budget = new ByteBudget(maxBytes);
  for (const group of first) budget.take(group, { from: 0, to: CORE_LINES });
  for (const group of later) budget.take(group, { from: 0, to: CORE_LINES });
  for (const group of [...first, ...later]) budget.takeSingly(group, group.lines.slice(CORE_LINES));
  for (const group of failure) budget.takeSingly(group, group.repeated);
  return budget.lines();
}

/** Bytes of `123: text` and a newline. */
function countRenderedBytes({ number, text }: FailureLine): number {
  return String(number).length + 3 + Buffer.byteLength(text);
}

/** The line that counts similar lines. */
export function renderSimilarCount(similarCount: number): string {
  return `[… ${toGroupedNumber(similarCount)} more like it]`;
}

function limitFloodedGroups(groups: readonly FailureGroup[], count: number): readonly FailureGroup[] {
  return count > FLOOD_LINES ? groups.slice(0, FLOOD_SHOWN_GROUPS) : groups;
}

/** A byte limit that is spent on the lines of groups. */
class ByteBudget {
  #remaining: number;
  readonly #taken = new Map<FailureGroup, FailureLine[]>();
  readonly #numbers = new Set<number>();

  constructor(maxBytes: number) {
    this.#remaining = maxBytes;
  }

  /** Takes the lines together; if they do not fit, only the first one. */
  take(group: FailureGroup, { from, to }: { readonly from: number; readonly to: number }): void {
    const count = group.repeats === 0 ? 0 : Buffer.byteLength(renderSimilarCount(group.repeats)) + 1;
    const lines = group.lines.slice(from, to);
    if (!this.#spend(group, lines, count)) this.#spend(group, lines.slice(0, 1), count);
  }

  /** Takes as many lines as fit, if the group is already shown. */
  takeSingly(group: FailureGroup, lines: readonly FailureLine[]): void {
    if (!this.#taken.has(group)) return;
    for (const line of lines) if (!this.#spend(group, [line], 0)) return;
  }

  lines(): SelectedLine[] {
    const lines = [...this.#taken].flatMap(([group, taken]) => {
      const similarCount = group.repeats - taken.filter((line) => group.repeated.includes(line)).length;
      const last = taken.findLast((line) => line === group.lines[0] || group.repeated.includes(line));
      return taken.map((line) => ({ ...line, similarCount: line === last ? similarCount : 0 }));
    });
    return lines.sort((a, b) => a.number - b.number);
  }

  #spend(group: FailureGroup, lines: readonly FailureLine[], extra: number): boolean {
    const added = lines.filter(({ number }) => !this.#numbers.has(number));
    const bytes = added.reduce((sum, line) => sum + countRenderedBytes(line), extra);
    if (bytes > this.#remaining) return false;
    this.#remaining -= bytes;
    for (const { number } of added) this.#numbers.add(number);
    this.#taken.set(group, [...(this.#taken.get(group) ?? []), ...added]);
    return true;
  }
}
