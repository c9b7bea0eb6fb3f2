import { toGroupedNumber } from '../../text/format-size.ts';
import { type Line, LineReader } from '../../text/line-reader.ts';
import { copyString, excerptOf } from '../../text/utf8.ts';
import { maskLine } from '../masked-line.ts';
import { toLineRanges } from '../output-view.ts';
import type { Excerpt, ExcerptLimits } from './byte-excerpt.ts';
import { INEXACT_LINES_NOTE, renderGapNotes, renderLimitNote } from './byte-excerpt.ts';
import { toNumberedRanges } from './line-counting.ts';
import type { RawOutput } from './raw-output.ts';

/** A search in the lines of an output. */
export interface SearchOptions {
  /** A string is searched literally; a regular expression is applied to each line separately. */
  readonly pattern: string | RegExp;
  /** Maximum number of matching lines. @default 100 */
  readonly limit?: number;
  /** Number of context lines around each match. @default 0 */
  readonly context?: number;
}

/** A matching line or a context line. */
interface FoundLine {
  readonly number: number;
  readonly text: string;
  readonly matches: boolean;
}

/** The matching lines with their context. */
export interface SearchResult extends Excerpt {
  readonly found: readonly FoundLine[];
  /** `false`: there may be more matches. */
  readonly complete: boolean;
}

/** Of a longer line only this much at each end is searched, so that memory stays bounded. */
const HOLD_CHARACTERS = 1024 * 1024;
/** Characters of a long line that are shown before and after the match. */
const SHOWN_AROUND = 200;

/** Searches the lines of an output in one pass with bounded memory. */
export async function searchLines(
  source: RawOutput,
  options: SearchOptions,
  limits: ExcerptLimits,
): Promise<SearchResult> {
  const search = new LineSearch(options, limits);
  const notes = renderGapNotes(source);
  for (const extent of await toNumberedRanges(source)) {
    if (search.stopped) break;
    if (!extent.exact) notes.push(INEXACT_LINES_NOTE);
    let number = extent.firstLine;
    const onLine = (line: Line): void => search.addLine(number++, line);
    const reader = new LineReader({ edgeCharacters: HOLD_CHARACTERS, onLine });
    search.startNewRange();
    for await (const bytes of source.read(extent)) {
      reader.write(bytes);
      if (search.stopped) break;
    }
    reader.end();
  }
  const { found } = search;
  notes.push(...search.notes());
  return {
    text: renderFoundLines(found),
    found,
    lines: toLineRanges(found.map(({ number }) => number)),
    complete: !search.stopped,
    notes,
  };
}

class LineSearch {
  readonly #matcher: (text: string) => number;
  readonly #limit: number;
  readonly #context: number;
  readonly #limits: ExcerptLimits;
  readonly found: FoundLine[] = [];
  /** Lines that become context if a match follows. */
  #previousLines: FoundLine[] = [];
  #contextLeft = 0;
  #matchCount = 0;
  #bytes = 0;
  #longLines = 0;
  /** Whether there were more results than the limits allow. */
  #stopped = false;

  constructor({ pattern, limit = 100, context = 0 }: SearchOptions, limits: ExcerptLimits) {
    this.#matcher = toMatcher(pattern);
    this.#limit = limit;
    this.#context = context;
    this.#limits = limits;
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  /** The next line is not adjacent to the last one. */
  startNewRange(): void {
    this.#previousLines = [];
    this.#contextLeft = 0;
  }

  addLine(number: number, whole: Line): void {
    if (this.#stopped) return;
    const { start, end, missing } = maskLine(whole, this.#limits.mask);
    const text = missing === null ? start : `${start}…${end}`;
    const at = this.#matcher(text);
    if (missing !== null) this.#longLines += 1;
    const line = { number, text: excerptAround(text, Math.max(0, at)), matches: at !== -1 };
    if (line.matches) this.#addMatch(line);
    else if (this.#contextLeft > 0) this.#addFound(line);
    else this.#holdForContext(line);
    if (!line.matches) this.#contextLeft = Math.max(0, this.#contextLeft - 1);
  }

  notes(): string[] {
    const notes: string[] = [];
    const next = this.found.at(-1)?.number ?? 0;
    if (this.#stopped && this.#matchCount >= this.#limit)
      notes.push(
        `These are the first ${toGroupedNumber(this.#limit)} matching lines; more follow after line ${next}.`,
      );
    else if (this.#stopped)
      notes.push(renderLimitNote(this.#limits.maxBytes, `more matching lines follow after line ${next}`));
    if (this.#longLines > 0)
      notes.push(`Only the ends of ${toGroupedNumber(this.#longLines)} very long lines were searched.`);
    return notes;
  }

  #addMatch(line: FoundLine): void {
    if (this.#matchCount === this.#limit) {
      this.#stopped = true;
      return;
    }
    this.#matchCount += 1;
    for (const earlier of this.#previousLines) this.#addFound(earlier);
    this.#previousLines = [];
    this.#addFound(line);
    this.#contextLeft = this.#context;
  }

  #addFound(line: FoundLine): void {
    const bytes = Buffer.byteLength(line.text) + 20;
    if (this.#stopped || this.#bytes + bytes > this.#limits.maxBytes) {
      this.#stopped = true;
      return;
    }
    this.#bytes += bytes;
    this.found.push({ ...line, text: copyString(line.text) });
  }

  #holdForContext(line: FoundLine): void {
    if (this.#context === 0) return;
    this.#previousLines.push(line);
    if (this.#previousLines.length > this.#context) this.#previousLines.shift();
  }
}

/** Returns a function that finds the offset of the first match, or -1. */
function toMatcher(pattern: string | RegExp): (text: string) => number {
  if (typeof pattern === 'string') return (text) => text.indexOf(pattern);
  // Without `g` and `y`: with them, `search` would depend on `lastIndex`.
  const each = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''));
  return (text) => text.search(each);
}

function excerptAround(text: string, at: number): string {
  return excerptOf(text, { from: at - SHOWN_AROUND, to: Math.max(at, SHOWN_AROUND) + 2 * SHOWN_AROUND });
}

/** The format of grep: `12:` before a match, `11-` before a context line, `--` between groups. */
function renderFoundLines(found: readonly FoundLine[]): string {
  const grouped = found.some((line) => !line.matches);
  return found
    .map(({ number, text, matches }, index) => {
      const previous = found[index - 1];
      const leap = grouped && previous !== undefined && previous.number + 1 !== number;
      return `${leap ? '--\n' : ''}${number}${matches ? ':' : '-'}${text}\n`;
    })
    .join('');
}
