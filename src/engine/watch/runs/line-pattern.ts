import type { Mask } from '../../output/mask.ts';
import { detach } from '../../text/detach.ts';
import { boundaryAfter, boundaryBefore } from '../../text/utf8.ts';

/** What is told of a line before and after the place that matches. */
const TOLD_BEFORE = 200;
const TOLD_AFTER = 600;

/** What to look for in lines; secrets are masked first, so that nobody can guess at them. */
export class LinePattern {
  readonly #find: (text: string) => number;
  readonly #mask: Mask;

  /** A text is found as it stands; a pattern is tried on each line by itself. */
  constructor(pattern: string | RegExp, mask: Mask) {
    this.#find = toFinder(pattern);
    this.#mask = mask;
  }

  /** The part of the line around what was found; `null` when there is nothing. */
  match(line: string, { ended }: { readonly ended: boolean }): string | null {
    const text = ended ? this.#mask.apply(line) : this.#mask.applyUnfinished(line);
    const at = this.#find(text);
    return at === -1 ? null : detach(excerpt(text, at));
  }
}

function toFinder(pattern: string | RegExp): (text: string) => number {
  if (typeof pattern === 'string') return (text) => text.indexOf(pattern);
  // Without `g` and `y`, which would go on from where the last line matched.
  const each = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''));
  return (text) => text.search(each);
}

function excerpt(text: string, at: number): string {
  const from = boundaryAfter(text, Math.max(0, at - TOLD_BEFORE));
  const to = boundaryBefore(text, Math.min(text.length, at + TOLD_AFTER));
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}
