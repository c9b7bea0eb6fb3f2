import { Recogniser, rankOf } from '../failures/recognise.ts';
import type { Entry } from '../view/entry.ts';
import { BlockHold } from './block-hold.ts';
import type { Condenser, Grouping } from './condenser.ts';
import { Tally } from './tally.ts';

/** A heading that waits for a line below it that stays, and what was left out below it. */
interface Section {
  readonly heading: Entry | null;
  readonly indent: number;
  readonly tally: Tally;
}

/** Of each name that was asked for. */
const NAMED_LINES = 2;
const HEADINGS = 'headings';
const BLANK = 'blank lines';
const WARNED = 'warnings that came before';
/** Of warnings that differ in their numbers alone so many are shown; so many kinds of them are remembered. */
const SAME_WARNINGS = 3;
const MAX_WARNINGS = 2000;
const ALIKE = 'lines like the one above';

/** Passes on the lines that stay, and counts in the place of those that do not. Lines keep their order and their numbers. */
export class Condensing {
  readonly #condenser: Condenser;
  readonly #emit: (entry: Entry) => void;
  readonly #recogniser = new Recogniser();
  readonly #blocks: BlockHold;
  readonly #groups = new Map<Grouping, { key: string; seen: number }>();
  readonly #total = new Map<string, number>();
  readonly #warnings = new Map<string, number>();
  readonly #asked = new Map<string, number>();
  #sections: Section[] = [base()];
  /** Blank lines after some that were left out: between two of these they go, too. */
  #blanks: Entry[] = [];
  #lastShape = '';

  constructor(condenser: Condenser, emit: (entry: Entry) => void) {
    this.#condenser = condenser;
    this.#emit = emit;
    this.#blocks = new BlockHold(condenser.blocks ?? [], {
      keep: (entry) => this.#sort(entry),
      drop: (entry, what) => this.#drop(entry, what),
    });
  }

  /** What was left out in all, by kind. */
  get leftOut(): ReadonlyMap<string, number> {
    return this.#total;
  }

  add(entry: Entry): void {
    this.#blocks.add(entry);
  }

  breakOff(): void {
    this.#flush();
  }

  end(): void {
    this.#blocks.end();
    this.#flush();
  }

  #sort(entry: Entry): void {
    const { start: text, missing } = entry.line;
    // Of a line that is not whole nobody knows what it is.
    const what = missing === null ? this.#whatToDrop(text) : null;
    if (what !== null) this.#drop(entry, what);
    else if (missing === null && text.trim() === '' && this.#isLeavingOut()) this.#blanks.push(entry);
    else if (missing === null && this.#isHeading(text)) this.#head(entry);
    else this.#keep(entry);
  }

  #whatToDrop(text: string): string | null {
    const { keep, rules = [] } = this.#condenser;
    if (keep?.test(text) === true || this.#isAskedFor(text)) return null;
    const rule = rules.find(({ pattern }) => pattern.test(text));
    if (rule !== undefined && (rule.sure === true || !this.#matters(text))) return rule.what;
    if (this.#wasWarnedOf(text)) return WARNED;
    if (rule !== undefined) return null;
    return this.#repeated(text) ?? this.#grouped(text);
  }

  /** The first lines that name what somebody wants installed. */
  #isAskedFor(text: string): boolean {
    for (const name of this.#condenser.asked ?? []) {
      const seen = this.#asked.get(name) ?? 0;
      if (seen >= NAMED_LINES || !hasWord(text, name)) continue;
      this.#asked.set(name, seen + 1);
      return true;
    }
    return false;
  }

  /** A warning that came before, but for its numbers: how often it came is enough. */
  #wasWarnedOf(text: string): boolean {
    const pattern = this.#recogniser.recognise(text);
    if (pattern === null || rankOf(pattern) !== 'warning') return false;
    const shape = text.replace(/0x[\da-f]+|\d+/g, '#');
    const seen = this.#warnings.get(shape) ?? 0;
    if (seen > 0 || this.#warnings.size < MAX_WARNINGS) this.#warnings.set(shape, seen + 1);
    return seen >= SAME_WARNINGS;
  }

  /** A run of lines that differ in their digits alone. */
  #repeated(text: string): string | null {
    const shape = text.replace(/\d+/g, '#');
    const same = shape === this.#lastShape && text.trim() !== '';
    this.#lastShape = shape;
    return same && !this.#matters(text) ? ALIKE : null;
  }

  #grouped(text: string): string | null {
    for (const grouping of this.#condenser.groupings ?? []) {
      const match = grouping.pattern.exec(text);
      if (match === null) continue;
      const key = match[1] ?? '';
      const group = this.#groups.get(grouping);
      const seen = group !== undefined && group.key === key ? group.seen + 1 : 1;
      this.#groups.set(grouping, { key, seen });
      return seen > grouping.keep && !this.#matters(text) ? grouping.what : null;
    }
    this.#groups.clear();
    return null;
  }

  /** Somebody would act on it. */
  #matters(text: string): boolean {
    const pattern = this.#recogniser.recognise(text);
    return pattern !== null && rankOf(pattern) !== 'maybe';
  }

  #isHeading(text: string): boolean {
    return this.#condenser.headings?.test(text) === true;
  }

  #drop(entry: Entry, what: string): void {
    this.#dropBlanks();
    this.#total.set(what, (this.#total.get(what) ?? 0) + 1);
    this.#sections.at(-1)?.tally.add(entry, what);
  }

  /** What stood under a heading as deep as this one is over. */
  #head(entry: Entry): void {
    this.#dropBlanks();
    const indent = entry.line.start.search(/\S/);
    let last = this.#sections.at(-1);
    while (last !== undefined && last.heading !== null && last.indent >= indent) {
      this.#sections.pop();
      this.#forget(last);
      last = this.#sections.at(-1);
    }
    this.#sections.push({ heading: entry, indent, tally: new Tally() });
  }

  #forget({ heading, tally }: Section): void {
    const outer = this.#sections.at(-1);
    if (heading !== null) {
      outer?.tally.add(heading, HEADINGS);
      this.#total.set(HEADINGS, (this.#total.get(HEADINGS) ?? 0) + 1);
    }
    outer?.tally.addAll(tally);
  }

  #dropBlanks(): void {
    const blanks = this.#blanks;
    this.#blanks = [];
    for (const blank of blanks) this.#drop(blank, BLANK);
  }

  #isLeavingOut(): boolean {
    return (this.#sections.at(-1)?.tally.lines ?? 0) > 0;
  }

  #keep(entry: Entry): void {
    this.#flush();
    this.#emit(entry);
  }

  #flush(): void {
    for (const { heading, tally } of this.#sections) {
      if (heading !== null) this.#emit(heading);
      const counted = tally.entry();
      if (counted !== null) this.#emit(counted);
    }
    this.#sections = [base()];
    for (const blank of this.#blanks) this.#emit(blank);
    this.#blanks = [];
  }
}

function base(): Section {
  return { heading: null, indent: -1, tally: new Tally() };
}

function hasWord(text: string, word: string): boolean {
  const at = text.indexOf(word);
  if (at === -1) return false;
  const before = text[at - 1] ?? ' ';
  const after = text[at + word.length] ?? ' ';
  return !/[\w-]/.test(before) && !/[\w-]/.test(after);
}
