import { detach } from '../../text/detach.ts';
import { toGroupedNumber } from '../../text/size.ts';
import { boundaryBefore } from '../../text/utf8.ts';

/** A line of the output with its number. */
export interface FailureLine {
  readonly number: number;
  readonly text: string;
  /** How many bytes of the raw output it stands for. */
  readonly rawBytes: number;
}

/** A line that is shown. */
export interface ChosenLine extends FailureLine {
  /** How many lines like it are not shown; said in a line of its own after it. */
  readonly alike: number;
}

/** Lines that belong together, one of which was recognised. */
export interface Group {
  /** The recognised one first, then what was found near it, in the order of its worth. */
  readonly lines: FailureLine[];
  readonly key: string;
  /** Lines like the first one that came later: so many, and some of them. */
  repeats: number;
  readonly repeated: FailureLine[];
}

const MAX_CHARACTERS = 400;
/** Of lines like one that is shown so many more are remembered, for when there is room. */
const REPEATS_REMEMBERED = 12;

/** The first and the last of many groups; a repeated one is counted. Memory does not grow with them. */
export class Groups {
  readonly #capacity: number;
  readonly #first: Group[] = [];
  #last: Group[] = [];
  readonly #known = new Map<string, Group>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The group that it begins, or repeats. */
  add(line: FailureLine): { readonly group: Group; readonly repeats: boolean } {
    const key = keyOf(line.text);
    const known = this.#known.get(key);
    if (known !== undefined) {
      known.repeats += 1;
      if (!isFull(known)) known.repeated.push(shorten(line));
      return { group: known, repeats: true };
    }
    const group: Group = { lines: [shorten(line)], key, repeats: 0, repeated: [] };
    this.#known.set(key, group);
    if (this.#first.length < this.#capacity) this.#first.push(group);
    else this.#remember(group);
    return { group, repeats: false };
  }

  /** First, last, second, last but one, and so on. */
  fromBothEnds(): Group[] {
    const all = [...this.#first, ...this.#last.slice(-this.#capacity)];
    return all
      .map((_, index) => all.at(index % 2 === 0 ? index / 2 : -(index + 1) / 2))
      .filter((group) => group !== undefined);
  }

  #remember(group: Group): void {
    this.#last.push(group);
    if (this.#last.length < 2 * this.#capacity) return;
    for (const { key } of this.#last.slice(0, this.#capacity)) this.#known.delete(key);
    this.#last = this.#last.slice(this.#capacity);
  }
}

/** Whether further lines like its first one are only counted. */
export function isFull({ repeated }: Group): boolean {
  return repeated.length >= REPEATS_REMEMBERED;
}

/** As it is shown: no wider than this, and holding on to nothing larger. */
export function shorten({ number, text, rawBytes }: FailureLine): FailureLine {
  if (text.length <= MAX_CHARACTERS) return { number, text: detach(text), rawBytes };
  const end = boundaryBefore(text, MAX_CHARACTERS);
  const rest = text.slice(end);
  const marker = `[… ${toGroupedNumber([...rest].length)} characters …]`;
  return { number, text: detach(text.slice(0, end) + marker), rawBytes: rawBytes - Buffer.byteLength(rest) };
}

/** Lines that differ in nothing but numbers, addresses and ids say the same. */
function keyOf(text: string): string {
  return text
    .slice(0, MAX_CHARACTERS)
    .replace(/\b(?=[a-f]*\d)[\da-f]{6,}\b|\d+/g, '#')
    .trim();
}
