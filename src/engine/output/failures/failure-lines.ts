import { detach } from '../../text/detach.ts';
import { boundaryBefore } from '../../text/utf8.ts';
import { type FailurePattern, HARMLESS, STRONG, TRIGGER, WEAK } from './patterns.ts';

/** A line that tells why something failed, with its number in the output. */
export interface FailureLine {
  readonly number: number;
  readonly text: string;
  /** How many bytes of the raw output it stands for. */
  readonly rawBytes: number;
}

/** Lines that belong together, the first of which was recognised. */
interface Group {
  readonly lines: FailureLine[];
  readonly key: string;
  repeats: number;
}

/** What was chosen to be shown, in the order of the output. */
export interface ChosenFailures {
  readonly lines: readonly FailureLine[];
  /** How many lines were recognised in all; a repeated one counts each time. */
  readonly recognised: number;
}

/** Of each kind so many of the start and of the end are remembered. */
const REMEMBERED = 20;
/** A log full of the word "error" gets no more room than this, and none beside lines that mean it. */
const WEAK_SHOWN = 6;
const MAX_CHARACTERS = 400;
const MAX_LOOKED_AT = 2000;

/** Finds the lines that tell why something failed, in lines that come one by one. Memory does not grow with them. */
export class FailureLines {
  /** By kind, so that a flood of one does not wash away the others. */
  readonly #strong = new Map<FailurePattern, EndsOfList>();
  readonly #weak = new EndsOfList(WEAK_SHOWN / 2);
  #open: { group: Group; follow: RegExp; left: number; next: number } | null = null;
  #recognised = 0;

  /** Numbers only grow; they may leap. */
  add(line: FailureLine): void {
    const recognised = TRIGGER.test(line.text) ? recognise(line.text) : null;
    if (recognised === null) {
      this.#extend(line);
      return;
    }
    this.#recognised += 1;
    const { pattern, strength } = recognised;
    const group = (strength === 'strong' ? this.#listOf(pattern) : this.#weak).add(line);
    const { follow } = pattern;
    this.#open =
      group === null || follow === undefined
        ? null
        : { group, follow: follow.pattern, left: follow.lines, next: line.number + 1 };
  }

  /** The first and the last before those between them; what means it before what might. */
  choose({ maxBytes }: { readonly maxBytes: number }): ChosenFailures {
    const strong = takeInTurns([...this.#strong.values()].map((list) => list.fromBothEnds()));
    const groups = strong.length >= WEAK_SHOWN ? strong : [...strong, ...this.#weak.fromBothEnds()];
    const lines: FailureLine[] = [];
    let room = maxBytes;
    for (const group of groups) {
      const shown = render(group);
      const bytes = shown.reduce((sum, line) => sum + sizeOf(line), 0);
      if (bytes > room) continue;
      room -= bytes;
      lines.push(...shown);
    }
    lines.sort((a, b) => a.number - b.number);
    return {
      lines: lines.filter((line, index) => line.number !== lines[index - 1]?.number),
      recognised: this.#recognised,
    };
  }

  #listOf(pattern: FailurePattern): EndsOfList {
    const list = this.#strong.get(pattern) ?? new EndsOfList(REMEMBERED);
    this.#strong.set(pattern, list);
    return list;
  }

  #extend(line: FailureLine): void {
    const open = this.#open;
    if (open === null) return;
    if (open.left === 0 || line.number !== open.next || !open.follow.test(line.text)) {
      this.#open = null;
      return;
    }
    open.group.lines.push(shorten(line));
    this.#open = { ...open, left: open.left - 1, next: line.number + 1 };
  }
}

/** The first and the last of many groups; a repeated one is counted and not stored again. */
class EndsOfList {
  readonly #capacity: number;
  readonly #first: Group[] = [];
  #last: Group[] = [];
  readonly #known = new Map<string, Group>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The new group, or `null` for a repetition. */
  add(line: FailureLine): Group | null {
    const key = line.text.slice(0, MAX_CHARACTERS).replace(/\d+/g, '#').trim();
    const known = this.#known.get(key);
    if (known !== undefined) {
      known.repeats += 1;
      return null;
    }
    const group: Group = { lines: [shorten(line)], key, repeats: 0 };
    this.#known.set(key, group);
    if (this.#first.length < this.#capacity) this.#first.push(group);
    else this.#remember(group);
    return group;
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

interface Recognised {
  readonly pattern: FailurePattern;
  readonly strength: 'strong' | 'weak';
}

function recognise(text: string): Recognised | null {
  const start = text.length > MAX_LOOKED_AT ? text.slice(0, MAX_LOOKED_AT) : text;
  const strong = STRONG.find(({ pattern }) => pattern.test(start));
  if (strong !== undefined) return { pattern: strong, strength: 'strong' };
  const weak = HARMLESS.test(start) ? undefined : WEAK.find(({ pattern }) => pattern.test(start));
  return weak === undefined ? null : { pattern: weak, strength: 'weak' };
}

/** The first of each list, then the second of each, and so on. */
function takeInTurns<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, turn) =>
    lists.flatMap((list) => list.slice(turn, turn + 1)),
  ).flat();
}

function shorten({ number, text, rawBytes }: FailureLine): FailureLine {
  const end = text.length > MAX_CHARACTERS ? boundaryBefore(text, MAX_CHARACTERS) : text.length;
  const cut = detach(end < text.length ? `${text.slice(0, end)}…` : text);
  return { number, text: cut, rawBytes: rawBytes - Buffer.byteLength(text.slice(end)) };
}

function render({ lines, repeats }: Group): FailureLine[] {
  const [first, ...rest] = lines;
  if (first === undefined || repeats === 0) return lines;
  return [{ ...first, text: `${first.text} (and ${repeats} more like it)` }, ...rest];
}

/** As it is shown: `123: text` and a newline. */
function sizeOf({ number, text }: FailureLine): number {
  return String(number).length + 3 + Buffer.byteLength(text);
}
