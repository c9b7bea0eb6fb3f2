import { FailureClassifier, failureRank } from './failure-classifier.ts';
import {
  type FailureGroup,
  FailureGroups,
  type FailureLine,
  isGroupFull,
  type SelectedLine,
  selectFailureLines,
  shortenLine,
} from './failure-groups.ts';
import type { FailurePattern, FailureRank, NearbyLines } from './failure-pattern.ts';

/** What was chosen to be shown, in the order of the output. */
export interface SelectedFailures {
  readonly lines: readonly SelectedLine[];
  /** How many lines were recognised in all; a repeated one counts each time. */
  readonly recognised: number;
}

/** Of each kind so many of the start and of the end are remembered. */
const MAX_REMEMBERED_GROUPS = 20;
/** As far as anything looks back. */
const MAX_REMEMBERED_LINES = 40;

interface OpenGroup {
  readonly group: FailureGroup;
  readonly pattern: FailurePattern;
  readonly follow: NearbyLines | null;
  /** Lines it may still take, and lines that may still come before it is over. */
  left: number;
  within: number;
  run: number;
  next: number;
}

/** Gives the lines before the one at hand, the nearest first. */
export type ReadLinesBefore = (lines: number) => readonly FailureLine[];

/** What came of a line. */
export interface LineAssessment {
  /** Whether the next line may belong to it. */
  readonly nextMayBelong: boolean;
  /** For lines that differ from it in their digits alone: all there is to do about them. `null`: they are to be seen. */
  readonly onRepeat: (() => void) | null;
  /** Whether it means it: a failure, not a line that may mean anything. */
  readonly isFailure: boolean;
}

const DO_NOTHING = (): void => {};

/** Finds the lines that tell why something failed, in lines that come one by one. Memory does not grow with them. */
export class FailureCollector {
  /** By kind, so that a flood of one does not wash away the others. */
  readonly #groups = new Map<FailurePattern, FailureGroups>();
  readonly #recent: FailureLine[] = [];
  readonly #counts: Record<FailureRank, number> = { failure: 0, summary: 0, maybe: 0, warning: 0 };
  #open: OpenGroup | null = null;
  /** Made when it is first needed: an output that fits never does. */
  #recogniser: FailureClassifier | null = null;

  /** Numbers only grow; they may leap. */
  add(line: FailureLine): void {
    this.assess(line, this.#recall);
    this.#recent.push(line);
    if (this.#recent.length > 2 * MAX_REMEMBERED_LINES) this.#recent.splice(0, MAX_REMEMBERED_LINES);
  }

  /** The same for who remembers the lines before it himself. */
  assess(line: FailureLine, recall: ReadLinesBefore): LineAssessment {
    this.#recogniser ??= new FailureClassifier();
    const pattern = this.#recogniser.classify(line.text);
    if (this.#open !== null && this.#extend(this.#open, line, pattern)) return this.#seen(null, true);
    if (pattern === null) return this.#seen(DO_NOTHING, false);
    return this.#seen(this.#begin(line, pattern, recall), failureRank(pattern) === 'failure');
  }

  #seen(again: LineAssessment['onRepeat'], meant: boolean): LineAssessment {
    return { nextMayBelong: this.#open !== null, onRepeat: again, isFailure: meant };
  }

  /** The first and the last before those between them; what means it before what might. */
  select({ maxBytes }: { readonly maxBytes: number }): SelectedFailures {
    const byRank = (rank: FailureRank): FailureGroup[] =>
      interleave(
        [...this.#groups]
          .filter(([pattern]) => failureRank(pattern) === rank)
          .map(([, list]) => list.fromBothEnds()),
      );
    const recognised = Object.values(this.#counts).reduce((sum, count) => sum + count, 0);
    const groups = {
      failure: byRank('failure'),
      summary: byRank('summary'),
      maybe: byRank('maybe'),
      warning: byRank('warning'),
    };
    return { lines: selectFailureLines({ groups, counts: this.#counts, maxBytes }), recognised };
  }

  readonly #recall: ReadLinesBefore = (lines) => this.#recent.slice(-lines).reverse();

  #begin(line: FailureLine, pattern: FailurePattern, recall: ReadLinesBefore): LineAssessment['onRepeat'] {
    const rank = failureRank(pattern);
    this.#counts[rank] += 1;
    const list = this.#groups.get(pattern) ?? new FailureGroups(MAX_REMEMBERED_GROUPS);
    this.#groups.set(pattern, list);
    const { group, repeats } = list.add(line);
    this.#open = null;
    if (repeats) return isGroupFull(group) ? () => this.#repeat(group, rank) : null;
    const { before, follow = null, run = 1 } = pattern;
    if (before !== undefined) group.lines.push(...findLinesBefore(line, before, recall));
    if (follow === null && run === 1) return null;
    const { lines: left, within } = follow ?? { lines: 0, within: 0 };
    this.#open = { group, pattern, follow, left, within, run, next: line.number + 1 };
    return null;
  }

  #repeat(group: FailureGroup, rank: FailureRank): void {
    group.repeats += 1;
    this.#counts[rank] += 1;
  }

  /** Whether the line belongs to what is open. */
  #extend(open: OpenGroup, line: FailureLine, pattern: FailurePattern | null): boolean {
    if (line.number !== open.next) return this.#close();
    open.next += 1;
    if (pattern !== null && pattern === open.pattern && open.run > 1) {
      open.run -= 1;
      open.group.lines.push(shortenLine(line));
      this.#counts[failureRank(pattern)] += 1;
      return true;
    }
    if (pattern !== null && failureRank(pattern) !== 'maybe' && failureRank(pattern) !== 'warning')
      return this.#close();
    return this.#follow(open, line);
  }

  #follow(open: OpenGroup, line: FailureLine): boolean {
    const belongs = open.left > 0 && open.follow !== null && open.follow.pattern.test(line.text);
    if (belongs) {
      open.group.lines.push(shortenLine(line));
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
function findLinesBefore(
  line: FailureLine,
  { pattern, lines, within }: NearbyLines,
  recall: ReadLinesBefore,
): FailureLine[] {
  return recall(within)
    .filter(({ number, text }) => line.number - number <= within && pattern.test(text))
    .slice(0, lines)
    .map(shortenLine)
    .reverse();
}

/** The first of each list, then the second of each, and so on. */
function interleave<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, turn) =>
    lists.flatMap((list) => list.slice(turn, turn + 1)),
  ).flat();
}
