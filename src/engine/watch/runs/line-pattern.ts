import { type Context, createContext, Script } from 'node:vm';
import { NacreError } from '../../../errors.ts';
import type { Mask } from '../../output/mask.ts';
import { detach } from '../../text/detach.ts';
import { boundaryAfter, boundaryBefore } from '../../text/utf8.ts';

/** What is told of a line before and after the place that matches. */
const TOLD_BEFORE = 200;
const TOLD_AFTER = 600;

/** For one portion of output, which a pattern that does not run wild is through with in a few milliseconds. */
const MOST_MS = 500;

/** A line as it would be shown. */
export interface PatternLine {
  readonly text: string;
  readonly ended: boolean;
}

/** The first line that matches, by its place, and the part of it around what was found. */
export interface PatternHit {
  readonly index: number;
  readonly excerpt: string;
}

/** What to look for in lines; secrets are masked first, so that nobody can guess at them. */
export class LinePattern {
  readonly #findFirst: FindFirst;
  readonly #mask: Mask;

  /** A text is found as it stands; a pattern is tried on each line by itself. */
  constructor(pattern: string | RegExp, mask: Mask) {
    this.#findFirst = typeof pattern === 'string' ? findText(pattern) : findMatch(pattern);
    this.#mask = mask;
  }

  /**
   * `null` when there is nothing.
   *
   * @throws {NacreError} `pattern_slow`
   */
  firstIn(lines: readonly PatternLine[]): PatternHit | null {
    const texts = lines.map(({ text, ended }) =>
      ended ? this.#mask.apply(text) : this.#mask.applyUnfinished(text),
    );
    const found = this.#findFirst(texts);
    if (found === null) return null;
    return { index: found.index, excerpt: detach(excerpt(texts[found.index] ?? '', found.at)) };
  }
}

type FindFirst = (texts: readonly string[]) => { readonly index: number; readonly at: number } | null;

function findText(wanted: string): FindFirst {
  return (texts) => findFirst(texts, (text) => text.indexOf(wanted));
}

function findMatch({ source, flags }: RegExp): FindFirst {
  // Without `g` and `y`, which would go on from where the last line matched.
  const each = new RegExp(source, flags.replace(/[gy]/g, ''));
  const search: FindFirst = (texts) => findFirst(texts, (text) => text.search(each));
  if (!/[*+{]|\\[1-9k]/.test(source)) return search;
  const limit = new TimeLimit();
  return (texts) => {
    let found: ReturnType<FindFirst> = null;
    const isDone = limit.run(() => {
      found = search(texts);
    });
    if (!isDone) throw new NacreError('pattern_slow', { pattern: source, ms: MOST_MS });
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

/** Runs something that can take for ever and cannot be interrupted otherwise: a pattern that repeats what it repeats. */
class TimeLimit {
  readonly #script = new Script('work()');
  readonly #context: Context = createContext({});

  /** Whether it came to its end. */
  run(work: () => void): boolean {
    this.#context.work = work;
    try {
      this.#script.runInContext(this.#context, { timeout: MOST_MS });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false;
      throw error;
    }
  }
}

function excerpt(text: string, at: number): string {
  const from = boundaryAfter(text, Math.max(0, at - TOLD_BEFORE));
  const to = boundaryBefore(text, Math.min(text.length, at + TOLD_AFTER));
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}
