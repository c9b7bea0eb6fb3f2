import { type ChosenLine, type FailureLine, type Group, Groups, isFull, shorten } from './groups.ts';
import type { FailurePattern, Nearby, Rank } from './pattern.ts';
import { Recogniser, rankOf } from './recognise.ts';
import { spend } from './spend.ts';

/** What was chosen to be shown, in the order of the output. */
export interface ChosenFailures {
  readonly lines: readonly ChosenLine[];
  /** How many lines were recognised in all; a repeated one counts each time. */
  readonly recognised: number;
}

/** Of each kind so many of the start and of the end are remembered. */
const REMEMBERED = 20;
/** As far as anything looks back. */
const REMEMBERED_BEFORE = 40;

interface Open {
  readonly group: Group;
  readonly pattern: FailurePattern;
  readonly follow: Nearby | null;
  /** Lines it may still take, and lines that may still come before it is over. */
  left: number;
  within: number;
  run: number;
  next: number;
}

/** Gives the lines before the one at hand, the nearest first. */
export type Recall = (lines: number) => readonly FailureLine[];

/** What came of a line. */
export interface Considered {
  /** Whether the next line may belong to it. */
  readonly follow: boolean;
  /** For lines that differ from it in their digits alone: all there is to do about them. `null`: they are to be seen. */
  readonly again: (() => void) | null;
  /** Whether it means it: a failure, not a line that may mean anything. */
  readonly meant: boolean;
}

const NOTHING = (): void => {};

/** Finds the lines that tell why something failed, in lines that come one by one. Memory does not grow with them. */
export class FailureLines {
  /** By kind, so that a flood of one does not wash away the others. */
  readonly #groups = new Map<FailurePattern, Groups>();
  readonly #recent: FailureLine[] = [];
  readonly #counts: Record<Rank, number> = { failure: 0, summary: 0, maybe: 0, warning: 0 };
  #open: Open | null = null;
  /** Made when it is first needed: an output that fits never does. */
  #recogniser: Recogniser | null = null;

  /** Numbers only grow; they may leap. */
  add(line: FailureLine): void {
    this.consider(line, this.#recall);
    this.#recent.push(line);
    if (this.#recent.length > 2 * REMEMBERED_BEFORE) this.#recent.splice(0, REMEMBERED_BEFORE);
  }

  /** The same for who remembers the lines before it himself. */
  consider(line: FailureLine, recall: Recall): Considered {
    this.#recogniser ??= new Recogniser();
    const pattern = this.#recogniser.recognise(line.text);
    if (this.#open !== null && this.#extend(this.#open, line, pattern)) return this.#seen(null, true);
    if (pattern === null) return this.#seen(NOTHING, false);
    return this.#seen(this.#begin(line, pattern, recall), rankOf(pattern) === 'failure');
  }

  #seen(again: Considered['again'], meant: boolean): Considered {
    return { follow: this.#open !== null, again, meant };
  }

  /** The first and the last before those between them; what means it before what might. */
  choose({ maxBytes }: { readonly maxBytes: number }): ChosenFailures {
    const byRank = (rank: Rank): Group[] =>
      takeInTurns(
        [...this.#groups]
          .filter(([pattern]) => rankOf(pattern) === rank)
          .map(([, list]) => list.fromBothEnds()),
      );
    const recognised = Object.values(this.#counts).reduce((sum, count) => sum + count, 0);
    const groups = {
      failure: byRank('failure'),
      summary: byRank('summary'),
      maybe: byRank('maybe'),
      warning: byRank('warning'),
    };
    return { lines: spend({ groups, counts: this.#counts, maxBytes }), recognised };
  }

  readonly #recall: Recall = (lines) => this.#recent.slice(-lines).reverse();

  #begin(line: FailureLine, pattern: FailurePattern, recall: Recall): Considered['again'] {
    const rank = rankOf(pattern);
    this.#counts[rank] += 1;
    const list = this.#groups.get(pattern) ?? new Groups(REMEMBERED);
    this.#groups.set(pattern, list);
    const { group, repeats } = list.add(line);
    this.#open = null;
    if (repeats) return isFull(group) ? () => this.#repeat(group, rank) : null;
    const { before, follow = null, run = 1 } = pattern;
    if (before !== undefined) group.lines.push(...findBefore(line, before, recall));
    if (follow === null && run === 1) return null;
    const { lines: left, within } = follow ?? { lines: 0, within: 0 };
    this.#open = { group, pattern, follow, left, within, run, next: line.number + 1 };
    return null;
  }

  #repeat(group: Group, rank: Rank): void {
    group.repeats += 1;
    this.#counts[rank] += 1;
  }

  /** Whether the line belongs to what is open. */
  #extend(open: Open, line: FailureLine, pattern: FailurePattern | null): boolean {
    if (line.number !== open.next) return this.#close();
    open.next += 1;
    if (pattern !== null && pattern === open.pattern && open.run > 1) {
      open.run -= 1;
      open.group.lines.push(shorten(line));
      this.#counts[rankOf(pattern)] += 1;
      return true;
    }
    if (pattern !== null && rankOf(pattern) !== 'maybe' && rankOf(pattern) !== 'warning')
      return this.#close();
    return this.#follow(open, line);
  }

  #follow(open: Open, line: FailureLine): boolean {
    const belongs = open.left > 0 && open.follow !== null && open.follow.pattern.test(line.text);
    if (belongs) {
      open.group.lines.push(shorten(line));
      open.left -= 1;
    }
    open.within -= 1;
    if (open.within <= 0 || open.left <= 0) this.#close();
    return belongs;
  }

  #close(): false {
    this.#open = null;
    return false;
  }
}

/** Those nearest to the line count; lines between them do not. */
function findBefore(line: FailureLine, { pattern, lines, within }: Nearby, recall: Recall): FailureLine[] {
  return recall(within)
    .filter(({ number, text }) => line.number - number <= within && pattern.test(text))
    .slice(0, lines)
    .map(shorten)
    .reverse();
}

/** The first of each list, then the second of each, and so on. */
function takeInTurns<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, turn) =>
    lists.flatMap((list) => list.slice(turn, turn + 1)),
  ).flat();
}
