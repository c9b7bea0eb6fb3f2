import type { Artifact } from '../../../index.ts';
import { renderRoundedSize } from '../../rendering/amounts.ts';
import { toPlainLines } from '../../rendering/printable.ts';
import { clipText, splitGraphemes } from '../../rendering/text-width.ts';
import type { ScreenContent, ScreenSize } from '../screen/frame-renderer.ts';
import type { KeyPress } from '../screen/key-reader.ts';
import { type StyledRow, span } from '../screen/styled-row.ts';
import type { Panel, PanelHost } from './panel.ts';
import { blankRows, renderKeyHints, renderTitleRow } from './panel.ts';

/** Poll interval while the end of a growing output is shown. */
const FOLLOW_POLL_MS = 500;

/** Columns per horizontal step. */
const SIDE_STEP = 16;

export interface OutputViewerOptions extends PanelHost {
  readonly name: string;
  /** Opens the artifact at its current size. */
  readonly open: () => Artifact;
  /** Shows the end of the output first and follows it. */
  readonly fromEnd?: boolean;
}

/** Pages through and searches the full output of a run. Only the visible part is read. */
export class OutputViewer implements Panel {
  readonly #options: OutputViewerOptions;
  readonly #timer: NodeJS.Timeout;
  #artifact: Artifact;
  #from = 1;
  #left = 0;
  #pageRows = 0;
  #lines: readonly string[] = [];
  #isEnd = false;
  #note = '';
  #query = '';
  /** The line of the last match, until another key is used. */
  #found: number | null = null;
  #typing: string | null = null;

  constructor(options: OutputViewerOptions) {
    this.#options = options;
    this.#artifact = options.open();
    this.#timer = setInterval(() => this.#follow(), FOLLOW_POLL_MS);
  }

  render({ columns, rows }: ScreenSize): ScreenContent {
    this.#setPageRows(Math.max(1, rows - 2));
    const width = Math.max(5, String(this.#from + this.#lines.length).length + 2);
    const body = this.#lines.slice(0, this.#pageRows).map((line, at): StyledRow => {
      const number = String(this.#from + at).padStart(width);
      const shifted = this.#left === 0 ? line : splitGraphemes(line).slice(this.#left).join('');
      return [span(`${number}  `, 'dim'), ...this.#marked(clipText(shifted, columns - width - 2))];
    });
    const cursor = this.#typing === null ? null : { row: rows - 1, column: 4 + this.#typing.length };
    return {
      rows: [this.#head(), ...body, ...blankRows(this.#pageRows - body.length), this.#foot()],
      cursor,
    };
  }

  onKey(key: KeyPress): void {
    if (this.#typing !== null) this.#type(key, this.#typing);
    else if (key.name === 'escape' || key.text === 'q' || key.name === 'ctrl-c') this.#options.close();
    else this.#command(key);
    this.#options.refresh();
  }

  onClose(): void {
    clearInterval(this.#timer);
  }

  #head(): StyledRow {
    const last = this.#from + this.#lines.length - 1;
    const where = this.#lines.length === 0 ? 'empty' : `lines ${this.#from} to ${last}`;
    const side = this.#left === 0 ? '' : `, from column ${this.#left + 1}`;
    const note = this.#note === '' ? '' : `   ${this.#note}`;
    return renderTitleRow(
      this.#options.name,
      `${renderRoundedSize(this.#artifact.totalBytes)}   ${where}${side}${this.#isEnd ? ', the end' : ''}${note}`,
    );
  }

  #foot(): StyledRow {
    if (this.#typing !== null) return [span('   ', 'status'), span('/', 'key'), span(this.#typing, 'status')];
    return renderKeyHints(
      ...['↑↓←→ pgup pgdn', 'move', 'g G', 'start, end', '/', 'search', 'n N', 'next, previous', 'q', 'back'],
    );
  }

  /** Adjusts the page to the screen height; at the end of the output the end stays visible. */
  #setPageRows(rows: number): void {
    if (rows === this.#pageRows) return;
    const isEnd = this.#pageRows === 0 ? this.#options.fromEnd : this.#isEnd && this.#from > 1;
    this.#pageRows = rows;
    void (isEnd ? this.#loadEnd() : this.#load(this.#from));
  }

  #command(key: KeyPress): void {
    const actions: Readonly<Record<string, () => void>> = {
      '/': () => {
        this.#typing = '';
      },
      n: () => void this.#find(1),
      N: () => void this.#find(-1),
      g: () => void this.#load(1),
      home: () => void this.#load(1),
      G: () => void this.#loadEnd(),
      end: () => void this.#loadEnd(),
      left: () => this.#moveSideways(-SIDE_STEP),
      right: () => this.#moveSideways(SIDE_STEP),
    };
    const action = actions[key.name === 'text' ? key.text : key.name];
    if (action === undefined) void this.#move(toScrollStep(key, this.#pageRows));
    else action();
  }

  #moveSideways(columns: number): void {
    this.#left = Math.max(0, this.#left + columns);
  }

  #type({ name, text }: KeyPress, typed: string): void {
    if (name === 'escape' || name === 'ctrl-c') this.#typing = null;
    else if (name === 'backspace') this.#typing = typed === '' ? null : typed.slice(0, -1);
    else if (name === 'enter') {
      this.#query = typed;
      this.#typing = null;
      void this.#find(1);
    } else this.#typing = typed + (name === 'space' ? ' ' : text.replace(/\s+/g, ' '));
  }

  #marked(line: string): StyledRow {
    const at = this.#query === '' ? -1 : line.toLowerCase().indexOf(this.#query.toLowerCase());
    if (at < 0) return [span(line, 'output')];
    const end = at + this.#query.length;
    return [
      span(line.slice(0, at), 'output'),
      span(line.slice(at, end), 'warn'),
      span(line.slice(end), 'output'),
    ];
  }

  async #move(by: number): Promise<void> {
    if (by === 0 || (by > 0 && this.#isEnd)) return;
    await this.#load(Math.max(1, this.#from + by));
  }

  /** Follows new output while the end is visible. */
  #follow(): void {
    if (!this.#isEnd) return;
    try {
      const now = this.#options.open();
      if (now.totalBytes === this.#artifact.totalBytes) return;
      this.#artifact = now;
    } catch {
      // The artifact was deleted: the page that was read stays.
      return;
    }
    void this.#loadEnd();
  }

  async #load(from: number): Promise<void> {
    const { text, lines, binary } = await this.#artifact.lines({ from, to: from + this.#pageRows - 1 });
    const found = binary ? [text] : splitLines(text);
    // Beyond the end the last page is shown.
    if (found.length < this.#pageRows && from > 1) await this.#loadEnd();
    else this.#show(lines[0]?.from ?? from, found);
  }

  async #loadEnd(): Promise<void> {
    const { text, lines, binary } = await this.#artifact.tail(this.#pageRows);
    this.#show(lines[0]?.from ?? 1, binary ? [text] : splitLines(text));
    this.#isEnd = true;
  }

  #show(from: number, lines: readonly string[]): void {
    this.#from = from;
    this.#lines = lines;
    this.#isEnd = lines.length < this.#pageRows;
    this.#note = '';
    this.#found = null;
    this.#options.refresh();
  }

  async #find(direction: 1 | -1): Promise<void> {
    if (this.#query === '') return;
    const pattern = new RegExp(this.#query.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'i');
    const { found } = await this.#artifact.search({ pattern, limit: 10_000 });
    const numbers = found.map(({ number }) => number);
    const after = this.#found ?? this.#from - 1;
    const before = this.#found ?? this.#from;
    const next =
      direction === 1
        ? (numbers.find((line) => line > after) ?? numbers[0])
        : (numbers.findLast((line) => line < before) ?? numbers.at(-1));
    if (next === undefined) this.#note = `not found: ${this.#query}`;
    else {
      await this.#load(next);
      this.#found = next;
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
        .map((line) => toPlainLines(line)[0] ?? '');
}

function toScrollStep({ name, text }: KeyPress, pageRows: number): number {
  if (name === 'up' || text === 'k') return -1;
  if (name === 'down' || text === 'j' || name === 'enter') return 1;
  if (name === 'page-up' || text === 'b') return -pageRows;
  return name === 'page-down' || text === ' ' || name === 'space' ? pageRows : 0;
}
