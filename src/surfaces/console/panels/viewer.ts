import type { Artifact } from '../../../index.ts';
import { linesOf } from '../cards/render-card.ts';
import type { Key } from '../keys/key.ts';
import type { Layer, LayerPlace } from '../layer.ts';
import type { FrameSize, Picture } from '../screen/frame.ts';
import { type Row, span } from '../screen/row.ts';
import { clip } from '../screen/width.ts';
import { keyRow, titleRow } from './list.ts';

export interface ViewerOptions extends LayerPlace {
  readonly name: string;
  readonly artifact: Artifact;
}

/** Pages through the full output of a run, of any size, and searches it. Only what is on the screen is read. */
export class Viewer implements Layer {
  readonly #options: ViewerOptions;
  #from = 1;
  #room = 20;
  #lines: readonly string[] = [];
  #isEnd = false;
  #note = '';
  #query = '';
  #typing: string | null = null;

  constructor(options: ViewerOptions) {
    this.#options = options;
    void this.#load(1);
  }

  render({ columns, rows }: FrameSize): Picture {
    this.#room = Math.max(1, rows - 2);
    const body = this.#lines.slice(0, this.#room).map((line, at): Row => {
      const number = String(this.#from + at).padStart(7);
      return [span(`${number} `, 'dim'), ...this.#marked(clip(line, columns - 9))];
    });
    const size = `${this.#options.artifact.totalBytes.toLocaleString('en')} bytes`;
    const head = titleRow(this.#options.name, `${size}${this.#note === '' ? '' : `   ${this.#note}`}`);
    const foot =
      this.#typing === null
        ? keyRow(
            '↑↓ pgup pgdn',
            'move',
            'g G',
            'start, end',
            '/',
            'search',
            'n N',
            'next, before',
            'q',
            'back',
          )
        : [span(` /${this.#typing}`, 'status')];
    const filled = [...body, ...Array.from({ length: this.#room - body.length }, (): Row => [])];
    const cursor = this.#typing === null ? null : { row: rows - 1, column: 2 + this.#typing.length };
    return { rows: [head, ...filled, foot], cursor };
  }

  onKey(key: Key): void {
    if (this.#typing !== null) this.#type(key, this.#typing);
    else if (key.name === 'escape' || key.text === 'q' || key.name === 'ctrl-c') this.#options.close();
    else this.#command(key);
    this.#options.refresh();
  }

  #command(key: Key): void {
    const { name, text } = key;
    if (text === '/') this.#typing = '';
    else if (text === 'n' || text === 'N') void this.#find(text === 'n' ? 1 : -1);
    else if (text === 'g' || name === 'home') void this.#load(1);
    else if (text === 'G' || name === 'end') void this.#loadEnd();
    else void this.#move(stepIn(key, this.#room));
  }

  #type({ name, text }: Key, typed: string): void {
    if (name === 'escape' || name === 'ctrl-c') this.#typing = null;
    else if (name === 'backspace') this.#typing = typed.slice(0, -1);
    else if (name === 'enter') {
      this.#query = typed;
      this.#typing = null;
      void this.#find(1);
    } else this.#typing = typed + text;
  }

  #marked(line: string): Row {
    const at = this.#query === '' ? -1 : line.toLowerCase().indexOf(this.#query.toLowerCase());
    if (at < 0) return [span(line)];
    const end = at + this.#query.length;
    return [span(line.slice(0, at)), span(line.slice(at, end), 'warn'), span(line.slice(end))];
  }

  async #move(by: number): Promise<void> {
    if (by === 0 || (by > 0 && this.#isEnd)) return;
    await this.#load(Math.max(1, this.#from + by));
  }

  async #load(from: number): Promise<void> {
    const { text, lines, binary } = await this.#options.artifact.lines({ from, to: from + this.#room - 1 });
    const found = binary ? [text] : splitLines(text);
    // Past the end there is nothing: the last page stays.
    if (found.length === 0 && from > 1) await this.#loadEnd();
    else this.#show(lines[0]?.from ?? from, found);
  }

  async #loadEnd(): Promise<void> {
    const { text, lines, binary } = await this.#options.artifact.tail(this.#room);
    this.#show(lines[0]?.from ?? 1, binary ? [text] : splitLines(text));
    this.#isEnd = true;
  }

  #show(from: number, lines: readonly string[]): void {
    this.#from = from;
    this.#lines = lines;
    this.#isEnd = lines.length < this.#room;
    this.#note = '';
    this.#options.refresh();
  }

  async #find(direction: 1 | -1): Promise<void> {
    if (this.#query === '') return;
    const pattern = new RegExp(this.#query.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'i');
    const { found } = await this.#options.artifact.search({ pattern, limit: 10_000 });
    const numbers = found.map(({ number }) => number);
    const next =
      direction === 1
        ? (numbers.find((line) => line > this.#from) ?? numbers[0])
        : (numbers.filter((line) => line < this.#from).at(-1) ?? numbers.at(-1));
    if (next === undefined) this.#note = `not found: ${this.#query}`;
    else {
      await this.#load(next);
      this.#note = `${numbers.indexOf(next) + 1} of ${numbers.length}`;
    }
    this.#options.refresh();
  }
}

function splitLines(text: string): string[] {
  return text === ''
    ? []
    : text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => linesOf(line)[0] ?? '');
}

function stepIn({ name, text }: Key, room: number): number {
  if (name === 'up' || text === 'k') return -1;
  if (name === 'down' || text === 'j' || name === 'enter') return 1;
  if (name === 'page-up' || text === 'b') return -room;
  return name === 'page-down' || text === ' ' || name === 'space' ? room : 0;
}
