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

/** The failure lines selected for a view, in the order of the output. */
interface SelectedFailures {
  readonly lines: readonly SelectedLine[];
  /** Number of matching lines in the output; each repetition counts. */
  readonly recognised: number;
}

/** Groups kept per pattern from the start, and as many from the end. */
const MAX_REMEMBERED_GROUPS = 20;
/** The longest distance of `before` in any pattern. */
const MAX_REMEMBERED_LINES = 40;

interface OpenGroup {
  readonly group: FailureGroup;
  readonly pattern: FailurePattern;
  readonly follow: NearbyLines | null;
  /** Lines the group may still take, and lines that may still be examined. */
  followLeft: number;
  examineLeft: number;
  runLeft: number;
  nextNumber: number;
}

/** Returns the lines before the current one, nearest first. */
export type ReadLinesBefore = (lines: number) => readonly FailureLine[];

/** The result of examining a line. */
export interface LineAssessment {
  /** Whether the next line may belong to the same group. */
  readonly nextMayBelong: boolean;
  /** Handles further lines that differ only in digits; `null`: each of them must be examined. */
  readonly onRepeat: (() => void) | null;
  /** Whether the line reports a failure with certainty. */
  readonly isFailure: boolean;
}

const DO_NOTHING = (): void => {};

/** Collects the lines that explain a failure from a stream of lines, in bounded memory. */
export class FailureCollector {
  /** Per pattern, so that many matches of one pattern do not displace the others. */
  readonly #groups = new Map<FailurePattern, FailureGroups>();
  readonly #recent: FailureLine[] = [];
  readonly #counts: Record<FailureRank, number> = { failure: 0, summary: 0, maybe: 0, warning: 0 };
  #open: OpenGroup | null = null;
  /** Created on first use: an output that fits does not need it. */
  #classifier: FailureClassifier | null = null;

  /** Adds a line. Line numbers must increase; gaps are allowed. */
  add(line: FailureLine): void {
    this.assess(line, this.#readRecent);
    this.#recent.push(line);
    if (this.#recent.length > 2 * MAX_REMEMBERED_LINES) this.#recent.splice(0, MAX_REMEMBERED_LINES);
  }

  /** Examines a line for a caller that keeps the previous lines itself. */
  assess(line: FailureLine, readBefore: ReadLinesBefore): LineAssessment {
    this.#classifier ??= new FailureClassifier();
    const pattern = this.#classifier.classify(line.text);
    if (this.#open !== null && this.#extendGroup(this.#open, line, pattern))
      return this.#toAssessment(null, true);
    if (pattern === null) return this.#toAssessment(DO_NOTHING, false);
    return this.#toAssessment(
      this.#beginGroup(line, pattern, readBefore),
      failureRank(pattern) === 'failure',
    );
  }

  #toAssessment(onRepeat: LineAssessment['onRepeat'], isFailure: boolean): LineAssessment {
    return { nextMayBelong: this.#open !== null, onRepeat, isFailure };
  }

  /**
   * Selects lines within a size: first and last groups before those between, certain failures before possible
   * ones.
   */
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

  readonly #readRecent: ReadLinesBefore = (lines) => this.#recent.slice(-lines).reverse();

  #beginGroup(
    line: FailureLine,
    pattern: FailurePattern,
    readBefore: ReadLinesBefore,
  ): LineAssessment['onRepeat'] {
    const rank = failureRank(pattern);
    this.#counts[rank] += 1;
    const list = this.#groups.get(pattern) ?? new FailureGroups(MAX_REMEMBERED_GROUPS);
    this.#groups.set(pattern, list);
    const { group, repeats } = list.add(line);
    this.#open = null;
    if (repeats) return isGroupFull(group) ? () => this.#countRepeat(group, rank) : null;
    const { before, follow = null, run: runLeft = 1 } = pattern;
    if (before !== undefined) group.lines.push(...findLinesBefore(line, before, readBefore));
    if (follow === null && runLeft === 1) return null;
    const { lines: followLeft, within: examineLeft } = follow ?? { lines: 0, within: 0 };
    this.#open = {
      group,
      pattern,
      follow,
      followLeft,
      examineLeft,
      runLeft,
      nextNumber: line.number + 1,
    };
    return null;
  }

  #countRepeat(group: FailureGroup, rank: FailureRank): void {
    group.repeats += 1;
    this.#counts[rank] += 1;
  }

  /** Whether the line belongs to the open group. */
  #extendGroup(open: OpenGroup, line: FailureLine, pattern: FailurePattern | null): boolean {
    if (line.number !== open.nextNumber) return this.#closeGroup();
    open.nextNumber += 1;
    if (pattern !== null && pattern === open.pattern && open.runLeft > 1) {
      open.runLeft -= 1;
      open.group.lines.push(shortenLine(line));
      this.#counts[failureRank(pattern)] += 1;
      return true;
    }
    if (pattern !== null && failureRank(pattern) !== 'maybe' && failureRank(pattern) !== 'warning')
      return this.#closeGroup();
    return this.#addFollowing(open, line);
  }

  #addFollowing(open: OpenGroup, line: FailureLine): boolean {
    const belongs = open.followLeft > 0 && open.follow !== null && open.follow.pattern.test(line.text);
    if (belongs) {
      open.group.lines.push(shortenLine(line));
      open.followLeft -= 1;
    }
    open.examineLeft -= 1;
    if (open.examineLeft <= 0 || open.followLeft <= 0) this.#closeGroup();
    return belongs;
  }

  #closeGroup(): false {
    this.#open = null;
    return false;
  }
}

/** The matching lines nearest to the line; other lines between them are skipped. */
function findLinesBefore(
  line: FailureLine,
  { pattern, lines, within }: NearbyLines,
  readBefore: ReadLinesBefore,
): FailureLine[] {
  return readBefore(within)
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
