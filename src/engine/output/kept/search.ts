import { detach } from '../../text/detach.ts';
import { type Line, LineReader } from '../../text/line-reader.ts';
import { toGroupedNumber } from '../../text/size.ts';
import { boundaryAfter, boundaryBefore } from '../../text/utf8.ts';
import { maskLine } from '../view/shown-line.ts';
import { toRanges } from '../view/view.ts';
import { layOut } from './line-places.ts';
import { INEXACT_LINES, renderCap, renderGaps } from './read-notes.ts';
import type { Excerpt, ReadLimits } from './reading.ts';
import type { RawSource } from './source.ts';

export interface SearchOptions {
  /** A text is found as it stands; a pattern is tried on each line by itself. */
  readonly pattern: string | RegExp;
  /** Lines that match, at most. @default 100 */
  readonly limit?: number;
  /** Lines shown around each of them. @default 0 */
  readonly context?: number;
}

/** A line that matches, or one beside it. */
export interface Found {
  readonly number: number;
  readonly text: string;
  readonly matches: boolean;
}

export interface SearchResult extends Excerpt {
  readonly found: readonly Found[];
  /** `false`: there may be more. */
  readonly complete: boolean;
}

/** Of a longer line only this much at each end is searched: memory must not grow with it. */
const HOLD_CHARACTERS = 1024 * 1024;
/** What is shown of a long line before and after the place that matches. */
const SHOWN_AROUND = 200;

/** Finds lines, in one pass and bounded memory. */
export async function searchLines(
  source: RawSource,
  options: SearchOptions,
  limits: ReadLimits,
): Promise<SearchResult> {
  const search = new Search(options, limits);
  const notes = renderGaps(source);
  for (const extent of await layOut(source)) {
    if (search.stopped) break;
    if (!extent.exact) notes.push(INEXACT_LINES);
    let number = extent.firstLine;
    const onLine = (line: Line): void => search.look(number++, line);
    const reader = new LineReader({ hold: HOLD_CHARACTERS, onLine });
    search.leap();
    for await (const bytes of source.read(extent)) {
      reader.write(bytes);
      if (search.stopped) break;
    }
    reader.end();
  }
  const { found } = search;
  notes.push(...search.notes());
  return {
    text: render(found),
    found,
    lines: toRanges(found.map(({ number }) => number)),
    complete: !search.stopped,
    notes,
  };
}

class Search {
  readonly #matcher: (text: string) => number;
  readonly #limit: number;
  readonly #context: number;
  readonly #limits: ReadLimits;
  readonly found: Found[] = [];
  /** Lines that may yet become the context of a match. */
  #before: Found[] = [];
  #after = 0;
  #count = 0;
  #bytes = 0;
  #longLines = 0;
  /** Whether there was more than may be given out. */
  #stopped = false;

  constructor({ pattern, limit = 100, context = 0 }: SearchOptions, limits: ReadLimits) {
    this.#matcher = toMatcher(pattern);
    this.#limit = limit;
    this.#context = context;
    this.#limits = limits;
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  /** The next line does not follow on the last one. */
  leap(): void {
    this.#before = [];
    this.#after = 0;
  }

  look(number: number, whole: Line): void {
    if (this.#stopped) return;
    const { start, end, missing } = maskLine(whole, this.#limits.mask);
    const text = missing === null ? start : `${start}…${end}`;
    const at = this.#matcher(text);
    if (missing !== null) this.#longLines += 1;
    const line = { number, text: excerpt(text, Math.max(0, at)), matches: at !== -1 };
    if (line.matches) this.#match(line);
    else if (this.#after > 0) this.#keep(line);
    else this.#remember(line);
    if (!line.matches) this.#after = Math.max(0, this.#after - 1);
  }

  notes(): string[] {
    const notes: string[] = [];
    const next = this.found.at(-1)?.number ?? 0;
    if (this.#stopped && this.#count >= this.#limit)
      notes.push(
        `These are the first ${toGroupedNumber(this.#limit)} lines that match; there are more after line ${next}.`,
      );
    else if (this.#stopped)
      notes.push(renderCap(this.#limits.maxBytes, `there are more lines that match after line ${next}`));
    if (this.#longLines > 0)
      notes.push(`Of ${toGroupedNumber(this.#longLines)} very long lines only the ends were searched.`);
    return notes;
  }

  #match(line: Found): void {
    if (this.#count === this.#limit) {
      this.#stopped = true;
      return;
    }
    this.#count += 1;
    for (const earlier of this.#before) this.#keep(earlier);
    this.#before = [];
    this.#keep(line);
    this.#after = this.#context;
  }

  #keep(line: Found): void {
    const bytes = Buffer.byteLength(line.text) + 20;
    if (this.#stopped || this.#bytes + bytes > this.#limits.maxBytes) {
      this.#stopped = true;
      return;
    }
    this.#bytes += bytes;
    this.found.push({ ...line, text: detach(line.text) });
  }

  #remember(line: Found): void {
    if (this.#context === 0) return;
    this.#before.push(line);
    if (this.#before.length > this.#context) this.#before.shift();
  }
}

/** Gives the place of the first match, or -1. */
function toMatcher(pattern: string | RegExp): (text: string) => number {
  if (typeof pattern === 'string') return (text) => text.indexOf(pattern);
  // Without `g` and `y`, which would go on from where the last line matched.
  const each = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''));
  return (text) => text.search(each);
}

function excerpt(text: string, at: number): string {
  const from = at <= SHOWN_AROUND ? 0 : boundaryAfter(text, at - SHOWN_AROUND);
  const to = boundaryBefore(text, Math.min(text.length, Math.max(at, SHOWN_AROUND) + 2 * SHOWN_AROUND));
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}

/** As grep does it: `12:` before a line that matches, `11-` before one beside it, `--` where lines are left out. */
function render(found: readonly Found[]): string {
  const grouped = found.some((line) => !line.matches);
  return found
    .map(({ number, text, matches }, index) => {
      const previous = found[index - 1];
      const leap = grouped && previous !== undefined && previous.number + 1 !== number;
      return `${leap ? '--\n' : ''}${number}${matches ? ':' : '-'}${text}\n`;
    })
    .join('');
}
