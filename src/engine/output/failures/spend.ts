import { toGroupedNumber } from '../../text/size.ts';
import type { ChosenLine, FailureLine, Group } from './groups.ts';
import type { Rank } from './pattern.ts';

export interface Spending {
  /** By rank, the most important first. */
  readonly groups: Readonly<Record<Rank, readonly Group[]>>;
  /** How many lines of each rank there were. */
  readonly counts: Readonly<Record<Rank, number>>;
  readonly maxBytes: number;
}

/** Of each failure so many lines come before anything else gets room. */
const CORE_LINES = 3;
/** So many groups of a rank come first; what is left of it comes when every rank had its turn. */
const FIRST_TURN: Readonly<Record<Rank, number>> = { failure: 8, summary: 4, maybe: 4, warning: 2 };
/** Lines that may mean anything: where there are more than this, they mean nothing, and few are shown. */
const FLOOD = 200;
const FLOOD_SHOWN = 6;
/** Beside so many lines that mean it, none that might. */
const ENOUGH = 6;

/** Spends the room on what says most: a little of everything first, then more of it, then the rest. */
export function spend({ groups, counts, maxBytes }: Spending): ChosenLine[] {
  const { failure, summary } = groups;
  const maybe = failure.length >= ENOUGH ? [] : limitFlood(groups.maybe, counts.maybe);
  const warning = failure.length >= ENOUGH ? [] : limitFlood(groups.warning, counts.warning);
  const all: Readonly<Record<Rank, readonly Group[]>> = { failure, summary, maybe, warning };
  const ranks = ['failure', 'summary', 'maybe', 'warning'] as const;
  const first = ranks.flatMap((rank) => all[rank].slice(0, FIRST_TURN[rank]));
  const later = ranks.flatMap((rank) => all[rank].slice(FIRST_TURN[rank]));
  const purse = new Purse(maxBytes);
  for (const group of first) purse.take(group, { from: 0, to: CORE_LINES });
  for (const group of later) purse.take(group, { from: 0, to: CORE_LINES });
  for (const group of [...first, ...later]) purse.takeSingly(group, group.lines.slice(CORE_LINES));
  for (const group of failure) purse.takeSingly(group, group.repeated);
  return purse.lines();
}

/** As it is shown: `123: text` and a newline. */
export function shownBytes({ number, text }: FailureLine): number {
  return String(number).length + 3 + Buffer.byteLength(text);
}

/** The line that says how many more there are. */
export function renderAlike(alike: number): string {
  return `[… ${toGroupedNumber(alike)} more like it]`;
}

function limitFlood(groups: readonly Group[], count: number): readonly Group[] {
  return count > FLOOD ? groups.slice(0, FLOOD_SHOWN) : groups;
}

/** Room that is spent on groups, part by part. */
class Purse {
  #room: number;
  readonly #taken = new Map<Group, FailureLine[]>();
  readonly #numbers = new Set<number>();

  constructor(room: number) {
    this.#room = room;
  }

  /** Together or not at all; of a group that does not fit, its first line alone. */
  take(group: Group, { from, to }: { readonly from: number; readonly to: number }): void {
    const count = group.repeats === 0 ? 0 : Buffer.byteLength(renderAlike(group.repeats)) + 1;
    const lines = group.lines.slice(from, to);
    if (!this.#pay(group, lines, count)) this.#pay(group, lines.slice(0, 1), count);
  }

  /** As many as fit, of a group that is shown. */
  takeSingly(group: Group, lines: readonly FailureLine[]): void {
    if (!this.#taken.has(group)) return;
    for (const line of lines) if (!this.#pay(group, [line], 0)) return;
  }

  lines(): ChosenLine[] {
    const lines = [...this.#taken].flatMap(([group, taken]) => {
      const alike = group.repeats - taken.filter((line) => group.repeated.includes(line)).length;
      const last = taken.findLast((line) => line === group.lines[0] || group.repeated.includes(line));
      return taken.map((line) => ({ ...line, alike: line === last ? alike : 0 }));
    });
    return lines.sort((a, b) => a.number - b.number);
  }

  #pay(group: Group, lines: readonly FailureLine[], extra: number): boolean {
    const fresh = lines.filter(({ number }) => !this.#numbers.has(number));
    const bytes = fresh.reduce((sum, line) => sum + shownBytes(line), extra);
    if (bytes > this.#room) return false;
    this.#room -= bytes;
    for (const { number } of fresh) this.#numbers.add(number);
    this.#taken.set(group, [...(this.#taken.get(group) ?? []), ...fresh]);
    return true;
  }
}
