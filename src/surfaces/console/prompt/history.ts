import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const MOST_LINES = 2_000;

/** What was entered before, oldest first, kept from one time to the next in a file only its owner can read. */
export class History {
  readonly #path: string | null;
  #lines: string[];

  /** `null` keeps it in memory alone. */
  constructor(path: string | null) {
    this.#path = path;
    this.#lines = path === null ? [] : readLines(path);
  }

  get length(): number {
    return this.#lines.length;
  }

  at(index: number): string | undefined {
    return this.#lines[index];
  }

  add(line: string): void {
    if (line.trim() === '' || this.#lines.at(-1) === line) return;
    this.#lines.push(line);
    if (this.#path !== null) this.#keep(this.#path, line);
  }

  /** The newest line before an index that has the text in it; `-1` for none. */
  search(text: string, before: number = this.#lines.length): number {
    for (let index = before - 1; index >= 0; index--) if (this.#lines[index]?.includes(text)) return index;
    return -1;
  }

  #keep(path: string, line: string): void {
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      if (this.#lines.length > MOST_LINES * 1.5) {
        this.#lines = this.#lines.slice(-MOST_LINES);
        writeFileSync(path, this.#lines.map(toEntry).join(''), { mode: 0o600 });
      } else appendFileSync(path, toEntry(line), { mode: 0o600 });
    } catch {
      // A history that cannot be kept is no reason not to run the command.
    }
  }
}

/** One entry a line, whatever is in it. */
function toEntry(line: string): string {
  return `${JSON.stringify(line)}\n`;
}

function readLines(path: string): string[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').flatMap(readEntry).slice(-MOST_LINES);
}

function readEntry(entry: string): string[] {
  try {
    const line: unknown = JSON.parse(entry);
    return typeof line === 'string' ? [line] : [];
  } catch {
    return [];
  }
}
