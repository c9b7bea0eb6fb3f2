import { toGroupedNumber } from '../../text/format-size.ts';
import { FailureClassifier, failureRank } from '../failures/failure-classifier.ts';
import type { NumberedLine } from '../masked-line.ts';
import type { Condenser, ListGrouping, OmittableBlock } from './condenser.ts';

/** Counts the lines omitted at one position, by kind. */
class OmissionCount {
  readonly #kinds = new Map<string, number>();
  #first: NumberedLine | null = null;
  #lines = 0;

  add(entry: NumberedLine, what: string): void {
    this.#first ??= entry;
    this.#count(what, 1);
  }

  addAll(other: OmissionCount): void {
    this.#first ??= other.#first;
    for (const [what, lines] of other.#kinds) this.#count(what, lines);
  }

  get lines(): number {
    return this.#lines;
  }

  /**
   * The line that replaces the omitted lines. A single line is shown itself, because the count would be as
   * long.
   */
  entry(): NumberedLine | null {
    if (this.#first === null || this.#lines === 0) return null;
    if (this.#lines === 1) return this.#first;
    const line = { start: `[… ${renderOmittedKinds(this.#kinds)}]`, end: '', missing: null };
    return { number: this.#first.number, line, rawBytes: 0, ended: true, marker: true };
  }

  #count(what: string, lines: number): void {
    this.#kinds.set(what, (this.#kinds.get(what) ?? 0) + lines);
    this.#lines += lines;
  }
}

/** Renders counts in descending order: `210 passed tests, 3 headings`. */
export function renderOmittedKinds(kinds: ReadonlyMap<string, number>): string {
  return [...kinds]
    .sort(([, a], [, b]) => b - a)
    .map(([what, lines]) => `${toGroupedNumber(lines)} ${lines === 1 ? toSingular(what) : what}`)
    .join(', ');
}

function toSingular(what: string): string {
  return what.replace(/^(\S+?)s(?= (?:of|about|that|like|in|without|created)\b)|s$/, '$1');
}

interface BlockHandlers {
  readonly keep: (entry: NumberedLine) => void;
  readonly drop: (entry: NumberedLine, what: string) => void;
}

/** A longer block is kept. */
const MAX_BLOCK_LINES = 200;

/** Holds the lines of a block back until the line that ends it. */
class BlockBuffer {
  readonly #blocks: readonly OmittableBlock[];
  readonly #handlers: BlockHandlers;
  #open: OmittableBlock | null = null;
  #held: NumberedLine[] = [];

  constructor(blocks: readonly OmittableBlock[], ends: BlockHandlers) {
    this.#blocks = blocks;
    this.#handlers = ends;
  }

  add(entry: NumberedLine): void {
    const { start: text } = entry.line;
    const begins = this.#blocks.find((block) => block.begins.test(text));
    if (this.#open === null && begins === undefined) {
      this.#handlers.keep(entry);
      return;
    }
    this.#open ??= begins ?? null;
    this.#held.push(entry);
    if (this.#open?.endsInSuccess.test(text) === true) this.#omit(this.#open);
    else if (this.#open?.endsInFailure.test(text) === true || this.#held.length > MAX_BLOCK_LINES) this.end();
  }

  /** Keeps the lines of an unfinished block. */
  end(): void {
    const held = this.#held;
    this.#held = [];
    this.#open = null;
    for (const entry of held) this.#handlers.keep(entry);
  }

  #omit({ what }: OmittableBlock): void {
    const held = this.#held;
    this.#held = [];
    this.#open = null;
    for (const entry of held) this.#handlers.drop(entry, what);
  }
}

/** A heading without a kept line so far, and the lines omitted below it. */
interface HeadingSection {
  readonly heading: NumberedLine | null;
  readonly indent: number;
  readonly omitted: OmissionCount;
}

const LINES_PER_REQUESTED_NAME = 2;
const HEADINGS = 'headings';
const BLANK_LINES = 'blank lines';
const REPEATED_WARNINGS = 'repeated warnings';
/** Number of warnings shown that differ only in numbers, and number of such kinds remembered. */
const SAME_WARNINGS = 3;
const MAX_WARNINGS = 2000;
const SIMILAR_LINES = 'similar lines';

/** Passes on the lines to keep and a count in place of omitted ones. Lines keep their order and numbers. */
export class LineCondenser {
  readonly #condenser: Condenser;
  readonly #emit: (entry: NumberedLine) => void;
  readonly #classifier = new FailureClassifier();
  readonly #blocks: BlockBuffer;
  readonly #lastKeys = new Map<ListGrouping, { key: string; seen: number }>();
  readonly #totals = new Map<string, number>();
  readonly #warnings = new Map<string, number>();
  readonly #requestedSeen = new Map<string, number>();
  #sections: HeadingSection[] = [createBaseSection()];
  /** Blank lines after omitted lines; they are omitted if another omitted line follows. */
  #blanks: NumberedLine[] = [];
  #lastShape = '';

  constructor(condenser: Condenser, emit: (entry: NumberedLine) => void) {
    this.#condenser = condenser;
    this.#emit = emit;
    this.#blocks = new BlockBuffer(condenser.blocks ?? [], {
      keep: (entry) => this.#handleLine(entry),
      drop: (entry, what) => this.#omit(entry, what),
    });
  }

  /** Totals of the omitted lines by kind. */
  get omittedByKind(): ReadonlyMap<string, number> {
    return this.#totals;
  }

  add(entry: NumberedLine): void {
    this.#blocks.add(entry);
  }

  markGap(): void {
    this.#flush();
  }

  end(): void {
    this.#blocks.end();
    this.#flush();
  }

  #handleLine(entry: NumberedLine): void {
    const { start: text, missing } = entry.line;
    // An incomplete line cannot be classified.
    const what = missing === null ? this.#findOmittedKind(text) : null;
    if (what !== null) this.#omit(entry, what);
    else if (missing === null && text.trim() === '' && this.#hasOmitted()) this.#blanks.push(entry);
    else if (missing === null && this.#isHeading(text)) this.#beginSection(entry);
    else this.#keep(entry);
  }

  #findOmittedKind(text: string): string | null {
    const { keep, rules = [] } = this.#condenser;
    if (keep?.test(text) === true || this.#isRequested(text)) return null;
    const rule = rules.find(({ pattern }) => pattern.test(text));
    if (rule !== undefined && (rule.unconditional === true || !this.#isImportant(text))) return rule.what;
    if (this.#isRepeatedWarning(text)) return REPEATED_WARNINGS;
    if (rule !== undefined) return null;
    return this.#findSimilar(text) ?? this.#findGrouped(text);
  }

  /** Whether the line is one of the first that contain a requested package name. */
  #isRequested(text: string): boolean {
    for (const name of this.#condenser.requestedNames ?? []) {
      const seen = this.#requestedSeen.get(name) ?? 0;
      if (seen >= LINES_PER_REQUESTED_NAME || !hasWord(text, name)) continue;
      this.#requestedSeen.set(name, seen + 1);
      return true;
    }
    return false;
  }

  /** Whether the same warning, apart from numbers, was already shown often enough. */
  #isRepeatedWarning(text: string): boolean {
    const pattern = this.#classifier.classify(text);
    if (pattern === null || failureRank(pattern) !== 'warning') return false;
    const shape = text.replace(/0x[\da-f]+|\d+/g, '#');
    const seen = this.#warnings.get(shape) ?? 0;
    if (seen > 0 || this.#warnings.size < MAX_WARNINGS) this.#warnings.set(shape, seen + 1);
    return seen >= SAME_WARNINGS;
  }

  /** Whether the line differs from the previous one only in digits. */
  #findSimilar(text: string): string | null {
    const shape = text.replace(/\d+/g, '#');
    const same = shape === this.#lastShape && text.trim() !== '';
    this.#lastShape = shape;
    return same && !this.#isImportant(text) ? SIMILAR_LINES : null;
  }

  #findGrouped(text: string): string | null {
    for (const grouping of this.#condenser.groupings ?? []) {
      const match = grouping.pattern.exec(text);
      if (match === null) continue;
      const key = match[1] ?? '';
      const group = this.#lastKeys.get(grouping);
      const seen = group !== undefined && group.key === key ? group.seen + 1 : 1;
      this.#lastKeys.set(grouping, { key, seen });
      return seen > grouping.keep && !this.#isImportant(text) ? grouping.what : null;
    }
    this.#lastKeys.clear();
    return null;
  }

  /** Whether the line reports a failure, a summary or a warning. */
  #isImportant(text: string): boolean {
    const pattern = this.#classifier.classify(text);
    return pattern !== null && failureRank(pattern) !== 'maybe';
  }

  #isHeading(text: string): boolean {
    return this.#condenser.headings?.test(text) === true;
  }

  #omit(entry: NumberedLine, what: string): void {
    this.#omitBlanks();
    this.#totals.set(what, (this.#totals.get(what) ?? 0) + 1);
    this.#sections.at(-1)?.omitted.add(entry, what);
  }

  /** Begins a section and closes the sections of headings with the same or a deeper indentation. */
  #beginSection(entry: NumberedLine): void {
    this.#omitBlanks();
    const indent = entry.line.start.search(/\S/);
    let last = this.#sections.at(-1);
    while (last !== undefined && last.heading !== null && last.indent >= indent) {
      this.#sections.pop();
      this.#closeSection(last);
      last = this.#sections.at(-1);
    }
    this.#sections.push({ heading: entry, indent, omitted: new OmissionCount() });
  }

  #closeSection({ heading, omitted }: HeadingSection): void {
    const outer = this.#sections.at(-1);
    if (heading !== null) {
      outer?.omitted.add(heading, HEADINGS);
      this.#totals.set(HEADINGS, (this.#totals.get(HEADINGS) ?? 0) + 1);
    }
    outer?.omitted.addAll(omitted);
  }

  #omitBlanks(): void {
    const blanks = this.#blanks;
    this.#blanks = [];
    for (const blank of blanks) this.#omit(blank, BLANK_LINES);
  }

  #hasOmitted(): boolean {
    return (this.#sections.at(-1)?.omitted.lines ?? 0) > 0;
  }

  #keep(entry: NumberedLine): void {
    this.#flush();
    this.#emit(entry);
  }

  #flush(): void {
    for (const { heading, omitted } of this.#sections) {
      if (heading !== null) this.#emit(heading);
      const counted = omitted.entry();
      if (counted !== null) this.#emit(counted);
    }
    this.#sections = [createBaseSection()];
    for (const blank of this.#blanks) this.#emit(blank);
    this.#blanks = [];
  }
}

function createBaseSection(): HeadingSection {
  return { heading: null, indent: -1, omitted: new OmissionCount() };
}

function hasWord(text: string, word: string): boolean {
  const at = text.indexOf(word);
  if (at === -1) return false;
  const before = text[at - 1] ?? ' ';
  const after = text[at + word.length] ?? ' ';
  return !/[\w-]/.test(before) && !/[\w-]/.test(after);
}
