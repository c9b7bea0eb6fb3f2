import { type Context, createContext, Script } from 'node:vm';
import { NacreError } from '../../errors.ts';
import type { StreamLocation } from '../output/raw/output-segments.ts';
import { type ByteRange, type RawOutput, rawOutputFromFiles } from '../output/raw/raw-output.ts';
import type { SecretMask } from '../output/secret-mask.ts';
import { type Line, LineReader } from '../text/line-reader.ts';
import { copyString, countNewlines, excerptOf, NEWLINE } from '../text/utf8.ts';

/** A line of the output that matches a pattern. */
export interface OutputMatch {
  /** Byte range of the line with its line end. A later search continues at `to`. */
  readonly from: number;
  readonly to: number;
  /** The part of the line around the match, masked, without escape sequences. */
  readonly line: string;
  /** Counted from 1; `null` if the search did not begin at byte 0 or part of the output is gone. */
  readonly lineNumber: number | null;
}

interface OutputPatternSearchOptions {
  readonly location: StreamLocation;
  readonly pattern: MaskedLinePattern;
  /** Byte offset to begin at. */
  readonly from: number;
}

interface SourceReading {
  readonly source: RawOutput;
  readonly signal: AbortSignal | undefined;
}

const RETURN = 13;
/** Longer lines are searched in windows that overlap by half of this. */
const MAX_OPEN_BYTES = 64 * 1024;
/** More than a window plus one read, so that no line is truncated here. */
const HOLD_CHARACTERS = 1024 * 1024;

/**
 * Searches output that may still be growing for a pattern; each call continues where the last one stopped.
 *
 * Lines are searched without escape sequences. Each state of a redrawn line is searched, and so is a last line
 * without a newline. Memory does not grow with the output.
 */
export class OutputPatternSearch {
  readonly #location: StreamLocation;
  readonly #pattern: MaskedLinePattern;
  /** Offset up to which everything was read. */
  #offset: number;
  /** The bytes before `#offset` that belong to an unfinished line. */
  #unfinished: Buffer = Buffer.alloc(0);
  /** Newlines before the unfinished line; `null` if unknown. */
  #newlines: number | null;

  constructor({ location, pattern, from }: OutputPatternSearchOptions) {
    this.#location = location;
    this.#pattern = pattern;
    this.#offset = from;
    this.#newlines = from === 0 ? 0 : null;
  }

  /** Searches the output since the last call; stops between two reads when the signal is aborted. */
  async searchNew(signal?: AbortSignal): Promise<OutputMatch | null> {
    const source = rawOutputFromFiles(this.#location);
    const before = this.#offset;
    for (const extent of source.extents.filter(({ to }) => to > before)) {
      const match = await this.#searchRange(extent, { source, signal });
      if (match !== null || signal?.aborted) return match;
    }
    return this.#offset === before ? null : this.#searchOpen();
  }

  async #searchRange(extent: ByteRange, { source, signal }: SourceReading): Promise<OutputMatch | null> {
    const cut = extent.from > this.#offset ? this.#skipGap(extent) : null;
    if (cut !== null) return cut;
    for await (const bytes of source.read({ from: this.#offset, to: extent.to })) {
      const match = this.#feed(bytes);
      if (match !== null || signal?.aborted) return match;
    }
    return null;
  }

  /** The bytes between were dropped before they were read, so the unfinished line ends here. */
  #skipGap({ from }: ByteRange): OutputMatch | null {
    const match = this.#searchOpen();
    this.#offset = from;
    this.#unfinished = Buffer.alloc(0);
    this.#newlines = null;
    return match;
  }

  #feed(bytes: Buffer): OutputMatch | null {
    const all = Buffer.concat([this.#unfinished, bytes]);
    const start = this.#offset - this.#unfinished.length;
    this.#offset += bytes.length;
    const end = lastLineBreak(all) + 1;
    const match = end === 0 ? null : this.#search(all.subarray(0, end), start);
    if (match !== null) return match;
    this.#count(all.subarray(0, end));
    // A copy: a slice would keep the whole buffer in memory.
    this.#unfinished = Buffer.from(all.subarray(end));
    return this.#unfinished.length > MAX_OPEN_BYTES ? this.#dropSearched() : null;
  }

  #searchOpen(): OutputMatch | null {
    return this.#unfinished.length === 0
      ? null
      : this.#search(this.#unfinished, this.#offset - this.#unfinished.length);
  }

  /** Drops the searched part of a very long line, except for an overlap. */
  #dropSearched(): OutputMatch | null {
    const match = this.#searchOpen();
    this.#unfinished = Buffer.from(this.#unfinished.subarray(-MAX_OPEN_BYTES / 2));
    return match;
  }

  #search(bytes: Buffer, start: number): OutputMatch | null {
    const lines: (PatternLine & { readonly rawBytes: number })[] = [];
    const onLine = ({ text, ended, rawBytes }: Line): void => void lines.push({ text, ended, rawBytes });
    const reader = new LineReader({ edgeCharacters: HOLD_CHARACTERS, onLine });
    reader.write(replaceCarriageReturns(bytes));
    reader.end();
    const hit = this.#pattern.firstIn(lines);
    if (hit === null) return null;
    const from = lines.slice(0, hit.index).reduce((sum, { rawBytes }) => sum + rawBytes, start);
    return {
      from,
      to: from + (lines[hit.index]?.rawBytes ?? 0),
      line: hit.excerpt,
      lineNumber: this.#lineAfter(bytes.subarray(0, from - start)),
    };
  }

  #lineAfter(bytes: Buffer): number | null {
    return this.#newlines === null ? null : this.#newlines + countNewlines(bytes) + 1;
  }

  #count(bytes: Buffer): void {
    if (this.#newlines !== null) this.#newlines += countNewlines(bytes);
  }
}

function lastLineBreak(bytes: Buffer): number {
  return Math.max(bytes.lastIndexOf(NEWLINE), bytes.lastIndexOf(RETURN));
}

/**
 * Turns each carriage return into a newline, so that each state of a redrawn line is a line. Offsets stay the
 * same.
 */
function replaceCarriageReturns(bytes: Buffer): Buffer {
  if (!bytes.includes(RETURN)) return bytes;
  const copy = Buffer.from(bytes);
  for (let at = copy.indexOf(RETURN); at !== -1; at = copy.indexOf(RETURN, at + 1)) copy[at] = NEWLINE;
  return copy;
}

/** Characters of a matching line that are reported before and after the match. */
const EXCERPT_BEFORE = 200;
const EXCERPT_AFTER = 600;

/** Time limit for one chunk of output. A pattern without catastrophic backtracking takes a few milliseconds. */
const PATTERN_TIMEOUT_MS = 500;

/** A line without escape sequences. */
interface PatternLine {
  readonly text: string;
  readonly ended: boolean;
}

/** The index of the first line that matches, and the part of it around the match. */
interface PatternHit {
  readonly index: number;
  readonly excerpt: string;
}

/** A pattern that is applied to masked lines, so that a pattern cannot be used to guess a secret. */
export class MaskedLinePattern {
  readonly #findFirst: FindFirst;
  readonly #mask: SecretMask;

  /** A string is searched literally; a regular expression is applied to each line separately. */
  constructor(pattern: string | RegExp, mask: SecretMask) {
    this.#findFirst = typeof pattern === 'string' ? findText(pattern) : findMatch(pattern);
    this.#mask = mask;
  }

  /**
   * The first match, or `null`.
   *
   * @throws {NacreError} `pattern_slow`
   */
  firstIn(lines: readonly PatternLine[]): PatternHit | null {
    const texts = lines.map(({ text, ended }) =>
      ended ? this.#mask.apply(text) : this.#mask.applyToPartialText(text),
    );
    const found = this.#findFirst(texts);
    if (found === null) return null;
    const { index, at } = found;
    const excerpt = excerptOf(texts[index] ?? '', { from: at - EXCERPT_BEFORE, to: at + EXCERPT_AFTER });
    return { index, excerpt: copyString(excerpt) };
  }
}

type FindFirst = (texts: readonly string[]) => { readonly index: number; readonly at: number } | null;

function findText(wanted: string): FindFirst {
  return (texts) => findFirst(texts, (text) => text.indexOf(wanted));
}

function findMatch({ source, flags }: RegExp): FindFirst {
  // Without `g` and `y`: with them, `search` would depend on `lastIndex`.
  const each = new RegExp(source, flags.replace(/[gy]/g, ''));
  const search: FindFirst = (texts) => findFirst(texts, (text) => text.search(each));
  if (!/[*+{]|\\[1-9k]/.test(source)) return search;
  const limit = new InterruptibleRunner();
  return (texts) => {
    let found: ReturnType<FindFirst> = null;
    const isDone = limit.run(() => {
      found = search(texts);
    });
    if (!isDone) throw new NacreError('pattern_slow', { pattern: source, ms: PATTERN_TIMEOUT_MS });
    return found;
  };
}

function findFirst(texts: readonly string[], find: (text: string) => number): ReturnType<FindFirst> {
  for (const [index, text] of texts.entries()) {
    const at = find(text);
    if (at !== -1) return { index, at };
  }
  return null;
}

/** Runs a function with a time limit that also interrupts a regular expression in catastrophic backtracking. */
class InterruptibleRunner {
  readonly #script = new Script('work()');
  readonly #context: Context = createContext({});

  /** `false` if the time limit was reached. */
  run(work: () => void): boolean {
    this.#context.work = work;
    try {
      this.#script.runInContext(this.#context, { timeout: PATTERN_TIMEOUT_MS });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false;
      throw error;
    }
  }
}
