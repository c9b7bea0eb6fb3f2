import { LineReader } from '../../text/line-reader.ts';
import { countNewlines, NEWLINE } from '../../text/utf8.ts';
import type { SecretMask } from '../secret-mask.ts';
import { loadRareWords } from './failure-classifier.ts';
import type { LineAssessment, ReadLinesBefore } from './failure-collector.ts';
import type { FailureLine } from './failure-groups.ts';
import { KeywordScanner } from './keyword-scanner.ts';

/** CPU time of this process in milliseconds. Unlike wall time it does not depend on the load of the machine. */
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
function hashDigitShape(bytes: Buffer, { from, to }: { readonly from: number; readonly to: number }): number {
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

/** How often a word was found, and how often its line was a failure. */
interface WordUse {
  found: number;
  failures: number;
}

/** A word is searched this many times; after that only while this share of its lines are failures. */
const TRUSTED_FINDS = 4000;
const MIN_FAILURE_SHARE = 0.02;

/** Finds words that are useless in this output, such as `error` in every line of a log. */
class OverusedWords {
  readonly #uses = new Map<number, WordUse>();

  isOverused(word: number): boolean {
    const use = this.#uses.get(word);
    return use !== undefined && use.found > TRUSTED_FINDS && use.failures < use.found * MIN_FAILURE_SHARE;
  }

  count(word: number, isFailure: boolean): void {
    const use = this.#uses.get(word) ?? { found: 0, failures: 0 };
    use.found += 1;
    if (isFailure) use.failures += 1;
    this.#uses.set(word, use);
  }
}

/** Options of `FailureScanner`. */
export interface FailureScannerOptions {
  /** Examines a line that may report a failure. */
  readonly assess: (line: FailureLine, readBefore: ReadLinesBefore) => LineAssessment;
  readonly mask: SecretMask;
  readonly firstLine: number;
  /** The time of `cpuTimeMs()` at which the search stops. Lines are still counted. */
  readonly deadline: number;
}

const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;
/** Bytes kept for the lines before a match. */
const CONTEXT_BYTES = 4096;
const MAX_HELD_CHARACTERS = 2000;
const MAX_SHAPES = 5000;
/** The time is checked after each part of this size. */
const STEP_BYTES = 256 * 1024;

interface LineBytes {
  readonly from: number;
  readonly to: number;
}

/**
 * Searches the middle of a long output for failures without decoding it: keywords are searched in the raw
 * bytes, and only lines with a keyword, and lines around them, are decoded.
 */
export class FailureScanner {
  readonly #options: FailureScannerOptions;
  readonly #keywords = new KeywordScanner(loadRareWords());
  /**
   * The last bytes: whole lines and the start of one. Begins with a newline, because a keyword may begin with
   * one.
   */
  #recent: Buffer = Buffer.of(NEWLINE);
  /** Index in `#recent` of the first byte that was not scanned. */
  #unscanned = 1;
  /** Number of the first incomplete line. */
  #number: number;
  #nextMayBelong = false;
  /** Handlers for lines that differ from an examined one only in digits. */
  readonly #shapes = new Map<number, () => void>();
  readonly #overused = new OverusedWords();
  #skippedBytes = 0;

  constructor(options: FailureScannerOptions) {
    this.#options = options;
    this.#number = options.firstLine;
  }

  /** Sets the number of the next line. */
  startAtLine(line: number): void {
    this.#number = line;
  }

  /** Number of the first incomplete line. */
  get line(): number {
    return this.#number;
  }

  /** Bytes that were not scanned because the time was over. */
  get skippedBytes(): number {
    return this.#skippedBytes;
  }

  write(chunk: Buffer): void {
    for (let from = 0; from < chunk.length; from += STEP_BYTES)
      this.#scanStep(chunk.subarray(from, from + STEP_BYTES));
  }

  #scanStep(chunk: Buffer): void {
    const bytes = Buffer.concat([this.#recent, chunk]);
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    if (end > this.#unscanned) this.#scanLines(bytes.subarray(0, end), this.#unscanned);
    const context = Math.max(0, end - CONTEXT_BYTES);
    this.#recent = bytes.subarray(context);
    this.#unscanned = end - context;
  }

  /** The start of an incomplete line. */
  unreadBytes(): Buffer {
    return this.#recent.subarray(this.#unscanned);
  }

  #scanLines(bytes: Buffer, from: number): void {
    if (cpuTimeMs() > this.#options.deadline) {
      this.#skippedBytes += bytes.length - from;
      this.#number += countNewlines(bytes.subarray(from));
      this.#nextMayBelong = false;
      return;
    }
    // One character per byte, so that character offsets are byte offsets.
    const text = bytes.toString('latin1');
    let start = from;
    while (start < bytes.length) {
      const next = this.#nextMayBelong ? start : this.#findNextLine(text, start);
      if (next === -1) break;
      this.#number += next === start ? 0 : countNewlines(bytes.subarray(start, next));
      const end = text.indexOf('\n', next) + 1;
      this.#handleLine(bytes, { from: next, to: end });
      this.#number += 1;
      start = end;
    }
    this.#number += countNewlines(bytes.subarray(start));
  }

  /** Examines a line, unless a line with the same shape was examined before. */
  #handleLine(bytes: Buffer, place: LineBytes): void {
    const shape = this.#nextMayBelong ? null : hashDigitShape(bytes, place);
    const known = shape === null ? undefined : this.#shapes.get(shape);
    if (known !== undefined) {
      known();
      return;
    }
    const { nextMayBelong, onRepeat, isFailure } = this.#assess(bytes, place);
    if (!this.#nextMayBelong) this.#overused.count(this.#keywords.found, isFailure);
    this.#nextMayBelong = nextMayBelong;
    if (shape === null || onRepeat === null) return;
    if (this.#shapes.size >= MAX_SHAPES) this.#shapes.clear();
    this.#shapes.set(shape, onRepeat);
  }

  #assess(bytes: Buffer, { from, to }: LineBytes): LineAssessment {
    const number = this.#number;
    const readBefore: ReadLinesBefore = (lines) => this.#linesBefore(bytes, { from, lines, number });
    return this.#options.assess(this.#decode(bytes.subarray(from, to), number), readBefore);
  }

  #linesBefore(bytes: Buffer, place: { from: number; lines: number; number: number }): FailureLine[] {
    const found: FailureLine[] = [];
    let to = place.from;
    while (found.length < place.lines && to > 1 && place.from - to < CONTEXT_BYTES) {
      const from = bytes.lastIndexOf(NEWLINE, to - 2) + 1;
      found.push(this.#decode(bytes.subarray(from, to), place.number - found.length - 1));
      to = from;
    }
    return found;
  }

  #decode(bytes: Buffer, number: number): FailureLine {
    const rawBytes = bytes.length;
    const plain = bytes.toString('utf8', 0, Math.min(rawBytes, MAX_HELD_CHARACTERS));
    const isPlain = rawBytes <= MAX_HELD_CHARACTERS && plain.endsWith('\n') && !CONTROL.test(plain);
    const text = isPlain ? plain.slice(0, -1) : this.#decodeSlowly(bytes);
    return { number, text: this.#options.mask.apply(text), rawBytes };
  }

  #decodeSlowly(bytes: Buffer): string {
    let text = '';
    const reader = new LineReader({
      edgeCharacters: MAX_HELD_CHARACTERS + this.#options.mask.maxSecretLength,
      onLine: (line) => {
        text = line.gap === null ? line.text : `${line.text.slice(0, line.gap.at)}…`;
      },
    });
    reader.write(bytes);
    reader.end();
    return text;
  }

  /** Offset of the next line with a keyword, or -1. */
  #findNextLine(text: string, from: number): number {
    let at = this.#keywords.next(text, Math.max(0, from - 1));
    while (at !== -1 && this.#overused.isOverused(this.#keywords.found))
      at = this.#keywords.next(text, Math.max(0, at - 2));
    // A keyword may begin with the newline before its line.
    return at === -1 ? -1 : Math.max(from, text.lastIndexOf('\n', at) + 1);
  }
}
