/** Characters of each keyword that are searched; the rest is compared where they are found. */
const PROBE_LENGTH = 4;
/** Letters match in both cases. */
const CASE_BIT = 0x20;
const ANY_DIGIT = 0x7e;
/** The most frequent characters of texts, in ascending order. */
const COMMON_CHARACTERS = '\n_"-/[]kvbpgyfmw.,:cudlhr0123456789sniotae ';

interface Keyword {
  readonly text: string;
  readonly number: number;
  /** Offset of the 4-character probe within the keyword. */
  readonly at: number;
}

/**
 * Finds keywords in a text without reading most of its characters.
 *
 * The rarest four characters of each keyword are searched. A table gives for each pair of characters how far
 * the search can skip. Only the low byte of a character is used in it.
 */
export class KeywordScanner {
  /** Distance to skip for a pair of characters; 0: a probe may end here. */
  readonly #skip = new Uint8Array(0x1_00_00).fill(PROBE_LENGTH - 1);
  /** For a pair that may end a probe: a bit set of the low five bits of the character before it. */
  readonly #before = new Uint32Array(0x1_00_00);
  /** By the last two characters of their probe. */
  readonly #keywords = new Map<number, Keyword[]>();
  #found = -1;

  /** Keywords are in lower case and have at least four characters; `~` is any digit. */
  constructor(words: readonly string[]) {
    for (const [number, word] of words.entries()) this.#addKeyword(word, number);
  }

  /** Index of the keyword found last. */
  get found(): number {
    return this.#found;
  }

  /** Offset of the last character of the next keyword, or -1. */
  next(text: string, from: number): number {
    const leap = this.#skip;
    const before = this.#before;
    const { length } = text;
    let at = from + PROBE_LENGTH - 1;
    while (at < length) {
      const pair = ((text.charCodeAt(at - 1) & 0xff) << 8) | (text.charCodeAt(at) & 0xff);
      const step = leap[pair] as number;
      if (step !== 0) {
        at += step;
      } else {
        const bit = 1 << (text.charCodeAt(at - 2) & 31);
        const end =
          ((before[pair] as number) & bit) === 0 ? -1 : this.#keywordAt(text, at - PROBE_LENGTH + 1, pair);
        if (end !== -1) return end;
        at += 1;
      }
    }
    return -1;
  }

  #addKeyword(word: string, number: number): void {
    const at = findRarestProbe(word);
    for (let index = 1; index < PROBE_LENGTH; index += 1) {
      const leap = PROBE_LENGTH - 1 - index;
      for (const pair of toCodePairs(word.charCodeAt(at + index - 1), word.charCodeAt(at + index))) {
        this.#skip[pair] = Math.min(this.#skip[pair] ?? 0, leap);
        if (leap === 0)
          this.#keywords.set(pair, [...(this.#keywords.get(pair) ?? []), { text: word, number, at }]);
        if (leap === 0)
          this.#before[pair] = (this.#before[pair] ?? 0) | toLowBits(word.charCodeAt(at + index - 2));
      }
    }
  }

  #keywordAt(text: string, start: number, pair: number): number {
    for (const { text: word, number, at } of this.#keywords.get(pair) ?? []) {
      if (!matchesAt(text, start - at, word)) continue;
      this.#found = number;
      return start - at + word.length - 1;
    }
    return -1;
  }
}

function matchesAt(text: string, start: number, word: string): boolean {
  if (start < 0 || start + word.length > text.length) return false;
  for (let index = word.length - 1; index >= 0; index -= 1) {
    const code = text.charCodeAt(start + index);
    const wanted = word.charCodeAt(index);
    if (code === wanted || (code >= 0x41 && code <= 0x5a && (code | CASE_BIT) === wanted)) continue;
    if (wanted !== ANY_DIGIT || code < 0x30 || code > 0x39) return false;
  }
  return true;
}

/** Offset of the rarest probe. */
function findRarestProbe(word: string): number {
  let best = 0;
  for (let at = 1; at + PROBE_LENGTH <= word.length; at += 1) {
    if (frequency(word.slice(at, at + PROBE_LENGTH)) < frequency(word.slice(best, best + PROBE_LENGTH)))
      best = at;
  }
  return best;
}

/** The last two characters weigh most: they decide how often the search stops. */
function frequency(window: string): number {
  const ranks = Array.from(window, (character) =>
    character === '~' ? 400 : COMMON_CHARACTERS.indexOf(character) + 2,
  );
  const [first = 0, second = 0, third = 0, fourth = 0] = ranks;
  return third * fourth * 8 + second * third + first * second;
}

function toCodePairs(first: number, second: number): number[] {
  return caseVariants(first).flatMap((one) =>
    caseVariants(second).map((two) => ((one & 0xff) << 8) | (two & 0xff)),
  );
}

/** Both cases of a letter have the same low five bits. */
function toLowBits(code: number): number {
  return caseVariants(code).reduce((bits, each) => bits | (1 << (each & 31)), 0);
}

function caseVariants(code: number): number[] {
  if (code === ANY_DIGIT) return Array.from({ length: 10 }, (_, digit) => 0x30 + digit);
  return code >= 0x61 && code <= 0x7a ? [code, code ^ CASE_BIT] : [code];
}
