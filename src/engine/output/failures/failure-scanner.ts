import { LineReader } from '../../text/line-reader.ts';
import { countNewlines } from '../../text/utf8.ts';
import type { SecretMask } from '../secret-mask.ts';
import { loadRareWords } from './failure-classifier.ts';
import type { LineAssessment, ReadLinesBefore } from './failure-collector.ts';
import type { FailureLine } from './failure-groups.ts';
import { KeywordScanner } from './keyword-scanner.ts';

/** How long this program has worked, in milliseconds: a busy machine makes it slower, but not less patient. */
export function cpuTimeMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const ZERO = 0x30;
const ONE = 0x31;
const NINE = 0x39;

/**
 * A number that lines have in common which differ in their digits alone; a zero that stands alone is no digit like
 * others, since it makes good news of bad. Two hashes in one: no two of the lines of a log will share it by chance.
 */
export function hashDigitShape(
  bytes: Buffer,
  { from, to }: { readonly from: number; readonly to: number },
): number {
  let one = 0x811c9dc5;
  let two = 0x01234567;
  for (let at = from; at < to; at += 1) {
    let byte = bytes[at] as number;
    if (byte >= ZERO && byte <= NINE && !isLoneZero(bytes, at)) byte = ONE;
    one = Math.imul(one ^ byte, 0x01000193);
    two = Math.imul(two + byte, 0x85ebca6b) ^ (two >>> 13);
  }
  return (one >>> 0) * 0x20_00_00 + ((two >>> 0) & 0x1f_ff_ff);
}

function isLoneZero(bytes: Buffer, at: number): boolean {
  return bytes[at] === ZERO && !isDigit(bytes[at - 1]) && !isDigit(bytes[at + 1]);
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}

/** How often a word was found, and how often a line with it meant it. */
interface WordUse {
  found: number;
  meant: number;
}

/** So often a word is believed, and beyond that only while this share of its lines means it. */
const TRUSTED_FINDS = 4000;
const MIN_FAILURE_SHARE = 0.02;

/** Knows which words say nothing in this output: every line of a log may have "error" in it. */
export class OverusedWords {
  readonly #uses = new Map<number, WordUse>();

  isOverused(word: number): boolean {
    const use = this.#uses.get(word);
    return use !== undefined && use.found > TRUSTED_FINDS && use.meant < use.found * MIN_FAILURE_SHARE;
  }

  count(word: number, meant: boolean): void {
    const use = this.#uses.get(word) ?? { found: 0, meant: 0 };
    use.found += 1;
    if (meant) use.meant += 1;
    this.#uses.set(word, use);
  }
}

export interface FailureScannerOptions {
  /** Takes a line that may tell of a failure. */
  readonly assess: (line: FailureLine, recall: ReadLinesBefore) => LineAssessment;
  readonly mask: SecretMask;
  readonly firstLine: number;
  /** When to stop looking, by the clock of `workedMs()`; lines are counted all the same. */
  readonly deadline: number;
}

const NEWLINE = 10;
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;
/** So much of what was seen is kept at hand, for who wants to see the lines before one. */
const CONTEXT_BYTES = 4096;
const MAX_HELD_CHARACTERS = 2000;
const MAX_SHAPES = 5000;
/** A chunk is looked at in parts of this size, and the clock between them. */
const STEP_BYTES = 256 * 1024;

interface LineBytes {
  readonly from: number;
  readonly to: number;
}

/**
 * Looks for failures in the middle of a long output without reading it: words are looked for in the raw bytes,
 * and only lines that have one, and those around them, are decoded.
 */
export class FailureScanner {
  readonly #options: FailureScannerOptions;
  readonly #scan = new KeywordScanner(loadRareWords());
  /** What was seen last, whole lines and the start of one. The first line, too, has a newline before it: words may begin with it. */
  #kept: Buffer = Buffer.of(NEWLINE);
  /** Where in `#kept` the first byte is that was not looked at. */
  #unread = 1;
  /** Of the first line that has not come whole. */
  #number: number;
  #wanted = false;
  /** What is to be done about lines that differ from one that was seen in their digits alone. */
  readonly #shapes = new Map<number, () => void>();
  readonly #worn = new OverusedWords();
  #skippedBytes = 0;

  constructor(options: FailureScannerOptions) {
    this.#options = options;
    this.#number = options.firstLine;
  }

  /** The number of the first line that will come. */
  startAtLine(line: number): void {
    this.#number = line;
  }

  /** Of the first line that has not come whole. */
  get line(): number {
    return this.#number;
  }

  /** How much was not looked at for want of time. */
  get skippedBytes(): number {
    return this.#skippedBytes;
  }

  write(chunk: Buffer): void {
    for (let from = 0; from < chunk.length; from += STEP_BYTES)
      this.#step(chunk.subarray(from, from + STEP_BYTES));
  }

  #step(chunk: Buffer): void {
    const bytes = Buffer.concat([this.#kept, chunk]);
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    if (end > this.#unread) this.#look(bytes.subarray(0, end), this.#unread);
    const context = Math.max(0, end - CONTEXT_BYTES);
    this.#kept = bytes.subarray(context);
    this.#unread = end - context;
  }

  /** The start of a line whose end has not come. */
  unreadBytes(): Buffer {
    return this.#kept.subarray(this.#unread);
  }

  #look(bytes: Buffer, from: number): void {
    if (cpuTimeMs() > this.#options.deadline) {
      this.#skippedBytes += bytes.length - from;
      this.#number += countNewlines(bytes.subarray(from));
      this.#wanted = false;
      return;
    }
    // One character a byte: an index into the one is an index into the other.
    const text = bytes.toString('latin1');
    let start = from;
    while (start < bytes.length) {
      const next = this.#wanted ? start : this.#nextLine(text, start);
      if (next === -1) break;
      this.#number += next === start ? 0 : countNewlines(bytes.subarray(start, next));
      const end = text.indexOf('\n', next) + 1;
      this.#take(bytes, { from: next, to: end });
      this.#number += 1;
      start = end;
    }
    this.#number += countNewlines(bytes.subarray(start));
  }

  /** A log may say the same a million times. */
  #take(bytes: Buffer, place: LineBytes): void {
    const shape = this.#wanted ? null : hashDigitShape(bytes, place);
    const known = shape === null ? undefined : this.#shapes.get(shape);
    if (known !== undefined) {
      known();
      return;
    }
    const { nextMayBelong, onRepeat, isFailure } = this.#consider(bytes, place);
    if (!this.#wanted) this.#worn.count(this.#scan.found, isFailure);
    this.#wanted = nextMayBelong;
    if (shape === null || onRepeat === null) return;
    if (this.#shapes.size >= MAX_SHAPES) this.#shapes.clear();
    this.#shapes.set(shape, onRepeat);
  }

  #consider(bytes: Buffer, { from, to }: LineBytes): LineAssessment {
    const number = this.#number;
    const recall: ReadLinesBefore = (lines) => this.#linesBefore(bytes, { from, lines, number });
    return this.#options.assess(this.#read(bytes.subarray(from, to), number), recall);
  }

  #linesBefore(bytes: Buffer, place: { from: number; lines: number; number: number }): FailureLine[] {
    const found: FailureLine[] = [];
    let to = place.from;
    while (found.length < place.lines && to > 1 && place.from - to < CONTEXT_BYTES) {
      const from = bytes.lastIndexOf(NEWLINE, to - 2) + 1;
      found.push(this.#read(bytes.subarray(from, to), place.number - found.length - 1));
      to = from;
    }
    return found;
  }

  #read(bytes: Buffer, number: number): FailureLine {
    const rawBytes = bytes.length;
    const plain = bytes.toString('utf8', 0, Math.min(rawBytes, MAX_HELD_CHARACTERS));
    const isPlain = rawBytes <= MAX_HELD_CHARACTERS && plain.endsWith('\n') && !CONTROL.test(plain);
    const text = isPlain ? plain.slice(0, -1) : this.#readSlowly(bytes);
    return { number, text: this.#options.mask.apply(text), rawBytes };
  }

  #readSlowly(bytes: Buffer): string {
    let text = '';
    const reader = new LineReader({
      hold: MAX_HELD_CHARACTERS + this.#options.mask.maxSecretLength,
      onLine: (line) => {
        text = line.gap === null ? line.text : `${line.text.slice(0, line.gap.at)}…`;
      },
    });
    reader.write(bytes);
    reader.end();
    return text;
  }

  /** Where the next line with a word in it begins, or -1. */
  #nextLine(text: string, from: number): number {
    let at = this.#scan.next(text, Math.max(0, from - 1));
    while (at !== -1 && this.#worn.isOverused(this.#scan.found))
      at = this.#scan.next(text, Math.max(0, at - 2));
    // A word may begin with the newline before its line.
    return at === -1 ? -1 : Math.max(from, text.lastIndexOf('\n', at) + 1);
  }
}
