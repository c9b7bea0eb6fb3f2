import { toGroupedNumber } from '../../text/format-size.ts';
import { codePointBoundaryBefore, copyString } from '../../text/utf8.ts';
import type { FailureRank } from './failure-pattern.ts';

/** A line of the output with its number. */
export interface FailureLine {
  readonly number: number;
  readonly text: string;
  /** How many bytes of the raw output it stands for. */
  readonly rawBytes: number;
}

/** A line that is shown. */
export interface SelectedLine extends FailureLine {
  /** How many lines like it are not shown; said in a line of its own after it. */
  readonly alike: number;
}

/** Lines that belong together, one of which was recognised. */
export interface FailureGroup {
  /** The recognised one first, then what was found near it, in the order of its worth. */
  readonly lines: FailureLine[];
  readonly key: string;
  /** Lines like the first one that came later: so many, and some of them. */
  repeats: number;
  readonly repeated: FailureLine[];
}

const MAX_CHARACTERS = 400;
/** Of lines like one that is shown so many more are remembered, for when there is room. */
const MAX_REMEMBERED_REPEATS = 12;

/** The first and the last of many groups; a repeated one is counted. Memory does not grow with them. */
export class FailureGroups {
  readonly #capacity: number;
  readonly #first: FailureGroup[] = [];
  #last: FailureGroup[] = [];
  readonly #known = new Map<string, FailureGroup>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The group that it begins, or repeats. */
  add(line: FailureLine): { readonly group: FailureGroup; readonly repeats: boolean } {
    const key = toGroupKey(line.text);
    const known = this.#known.get(key);
    if (known !== undefined) {
      known.repeats += 1;
      if (!isGroupFull(known)) known.repeated.push(shortenLine(line));
      return { group: known, repeats: true };
    }
    const group: FailureGroup = { lines: [shortenLine(line)], key, repeats: 0, repeated: [] };
    this.#known.set(key, group);
    if (this.#first.length < this.#capacity) this.#first.push(group);
    else this.#remember(group);
    return { group, repeats: false };
  }

  /** First, last, second, last but one, and so on. */
  fromBothEnds(): FailureGroup[] {
    const all = [...this.#first, ...this.#last.slice(-this.#capacity)];
    return all
      .map((_, index) => all.at(index % 2 === 0 ? index / 2 : -(index + 1) / 2))
      .filter((group) => group !== undefined);
  }

  #remember(group: FailureGroup): void {
    this.#last.push(group);
    if (this.#last.length < 2 * this.#capacity) return;
    for (const { key } of this.#last.slice(0, this.#capacity)) this.#known.delete(key);
    this.#last = this.#last.slice(this.#capacity);
  }
}

/** Whether further lines like its first one are only counted. */
export function isGroupFull({ repeated }: FailureGroup): boolean {
  return repeated.length >= MAX_REMEMBERED_REPEATS;
}

/** As it is shown: no wider than this, and holding on to nothing larger. */
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

/** Lines that differ in nothing but numbers, addresses and ids say the same. */
function toGroupKey(text: string): string {
  return text
    .slice(0, MAX_CHARACTERS)
    .replace(/\b(?=[a-f]*\d)[\da-f]{6,}\b|\d+/g, '#')
    .trim();
}

export interface FailureSelectionInput {
  /** By rank, the most important first. */
  readonly groups: Readonly<Record<FailureRank, readonly FailureGroup[]>>;
  /** How many lines of each rank there were. */
  readonly counts: Readonly<Record<FailureRank, number>>;
  readonly maxBytes: number;
}

/** Of each failure so many lines come before anything else gets room. */
const CORE_LINES = 3;
/** So many groups of a rank come first; what is left of it comes when every rank had its turn. */
const FIRST_ROUND_GROUPS: Readonly<Record<FailureRank, number>> = {
  failure: 8,
  summary: 4,
  maybe: 4,
  warning: 2,
};
/** Lines that may mean anything: where there are more than this, they mean nothing, and few are shown. */
const FLOOD_LINES = 200;
const FLOOD_SHOWN_GROUPS = 6;
/** Beside so many lines that mean it, none that might. */
const ENOUGH_FAILURES = 6;

/** Spends the room on what says most: a little of everything first, then more of it, then the rest. */
export function selectFailureLines({ groups, counts, maxBytes }: FailureSelectionInput): SelectedLine[] {
  const { failure, summary } = groups;
  const maybe = failure.length >= ENOUGH_FAILURES ? [] : limitFloodedGroups(groups.maybe, counts.maybe);
  const warning = failure.length >= ENOUGH_FAILURES ? [] : limitFloodedGroups(groups.warning, counts.warning);
  const all: Readonly<Record<FailureRank, readonly FailureGroup[]>> = { failure, summary, maybe, warning };
  const ranks = ['failure', 'summary', 'maybe', 'warning'] as const;
  const first = ranks.flatMap((rank) => all[rank].slice(0, FIRST_ROUND_GROUPS[rank]));
  const later = ranks.flatMap((rank) => all[rank].slice(FIRST_ROUND_GROUPS[rank]));
  const purse = new ByteBudget(maxBytes);
  for (const group of first) purse.take(group, { from: 0, to: CORE_LINES });
  for (const group of later) purse.take(group, { from: 0, to: CORE_LINES });
  for (const group of [...first, ...later]) purse.takeSingly(group, group.lines.slice(CORE_LINES));
  for (const group of failure) purse.takeSingly(group, group.repeated);
  return purse.lines();
}

/** As it is shown: `123: text` and a newline. */
export function countRenderedBytes({ number, text }: FailureLine): number {
  return String(number).length + 3 + Buffer.byteLength(text);
}

/** The line that says how many more there are. */
export function renderSimilarCount(alike: number): string {
  return `[… ${toGroupedNumber(alike)} more like it]`;
}

function limitFloodedGroups(groups: readonly FailureGroup[], count: number): readonly FailureGroup[] {
  return count > FLOOD_LINES ? groups.slice(0, FLOOD_SHOWN_GROUPS) : groups;
}

/** Room that is spent on groups, part by part. */
class ByteBudget {
  #room: number;
  readonly #taken = new Map<FailureGroup, FailureLine[]>();
  readonly #numbers = new Set<number>();

  constructor(room: number) {
    this.#room = room;
  }

  /** Together or not at all; of a group that does not fit, its first line alone. */
  take(group: FailureGroup, { from, to }: { readonly from: number; readonly to: number }): void {
    const count = group.repeats === 0 ? 0 : Buffer.byteLength(renderSimilarCount(group.repeats)) + 1;
    const lines = group.lines.slice(from, to);
    if (!this.#pay(group, lines, count)) this.#pay(group, lines.slice(0, 1), count);
  }

  /** As many as fit, of a group that is shown. */
  takeSingly(group: FailureGroup, lines: readonly FailureLine[]): void {
    if (!this.#taken.has(group)) return;
    for (const line of lines) if (!this.#pay(group, [line], 0)) return;
  }

  lines(): SelectedLine[] {
    const lines = [...this.#taken].flatMap(([group, taken]) => {
      const alike = group.repeats - taken.filter((line) => group.repeated.includes(line)).length;
      const last = taken.findLast((line) => line === group.lines[0] || group.repeated.includes(line));
      return taken.map((line) => ({ ...line, alike: line === last ? alike : 0 }));
    });
    return lines.sort((a, b) => a.number - b.number);
  }

  #pay(group: FailureGroup, lines: readonly FailureLine[], extra: number): boolean {
    const fresh = lines.filter(({ number }) => !this.#numbers.has(number));
    const bytes = fresh.reduce((sum, line) => sum + countRenderedBytes(line), extra);
    if (bytes > this.#room) return false;
    this.#room -= bytes;
    for (const { number } of fresh) this.#numbers.add(number);
    this.#taken.set(group, [...(this.#taken.get(group) ?? []), ...fresh]);
    return true;
  }
}
