/** Offsets in a JSON text, for errors with a line. */
export interface JsonOffsets {
  /** Offsets of keys by their joined names: `async.enabled`. */
  readonly keys: ReadonlyMap<string, number>;
  /** Offset of the first syntax error. `JSON.parse` reports no position for most errors on Node 20. */
  readonly errorAt: number | undefined;
}

const TOKENS = /[{}[\]:,]|"(?:[^"\\\n]|\\.)*"?|[^\s{}[\]:,"]+/g;

/** Finds the offsets of all keys, up to the first syntax error. */
export function findJsonOffsets(text: string): JsonOffsets {
  const scanner = new JsonScanner(text);
  try {
    scanner.value('');
    scanner.expect('');
    return { keys: scanner.keys, errorAt: undefined };
  } catch (error) {
    // A RangeError is a stack overflow: the nesting is too deep, so the line stays unknown.
    return { keys: scanner.keys, errorAt: error instanceof RangeError ? undefined : scanner.offset };
  }
}

class JsonScanner {
  readonly keys = new Map<string, number>();
  readonly #tokens: readonly { readonly text: string; readonly offset: number }[];
  #at = 0;

  constructor(text: string) {
    const found = [...text.matchAll(TOKENS)].map(({ 0: token, index }) => ({ text: token, offset: index }));
    this.#tokens = [...found, { text: '', offset: text.trimEnd().length }];
  }

  /** Offset of the next token. */
  get offset(): number {
    return this.#tokens[this.#at]?.offset ?? 0;
  }

  get #next(): string {
    return this.#tokens[this.#at]?.text ?? '';
  }

  expect(token: string): void {
    if (this.#next !== token) throw new SyntaxError();
    this.#at += 1;
  }

  value(path: string): void {
    if (this.#next === '{') this.#list('{', '}', () => this.#member(path));
    else if (this.#next === '[') this.#list('[', ']', () => this.value(path));
    else this.#scalar();
  }

  #list(start: string, end: string, item: () => void): void {
    this.expect(start);
    while (this.#next !== end) {
      item();
      if (this.#next === end) break;
      this.expect(',');
    }
    this.expect(end);
  }

  #member(group: string): void {
    const { offset } = this;
    const name = this.#scalar();
    if (typeof name !== 'string') throw new SyntaxError();
    const path = group === '' ? name : `${group}.${name}`;
    this.keys.set(path, offset);
    this.expect(':');
    this.value(path);
  }

  #scalar(): unknown {
    const value: unknown = JSON.parse(this.#next);
    this.#at += 1;
    return value;
  }
}
