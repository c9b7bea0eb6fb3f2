import { columnsOf } from '../../../index.ts';
import type { Key } from '../keys/key.ts';
import type { Layer, LayerPlace } from '../layer.ts';
import { HELP, type HelpLine } from '../orders/help.ts';
import type { FrameSize, Picture } from '../screen/frame.ts';
import { type Row, span } from '../screen/row.ts';
import { wrapWords } from '../screen/width.ts';
import { keyRow, stepOf, titleRow } from './list.ts';

/** Everything one can type or press. */
export class HelpPanel implements Layer {
  readonly #place: LayerPlace;
  #first = 0;
  #room = 10;
  #count = 0;

  constructor(place: LayerPlace) {
    this.#place = place;
  }

  render({ columns, rows }: FrameSize): Picture {
    this.#room = Math.max(1, rows - 3);
    const all = HELP.flatMap(({ title, lines }, at): Row[] => [
      ...(at === 0 ? [] : [[]]),
      [span('   '), span(title, 'strong')],
      ...renderHelpLines(lines, columns),
    ]);
    this.#count = all.length;
    this.#first = Math.max(0, Math.min(this.#first, all.length - this.#room));
    const shown = all.slice(this.#first, this.#first + this.#room);
    const blank = Array.from({ length: this.#room - shown.length }, (): Row => []);
    const below = all.length - this.#first - shown.length;
    return {
      rows: [
        titleRow('Help', below > 0 ? `${below} more rows below` : ''),
        [],
        ...shown,
        ...blank,
        keyRow('↑↓', 'scroll', 'q', 'back'),
      ],
      cursor: null,
    };
  }

  onKey({ name, text }: Key): void {
    if (name === 'escape' || name === 'enter' || text === 'q' || name === 'ctrl-c') this.#place.close();
    const step = Math.max(-this.#count, Math.min(this.#count, stepOf(name, this.#room)));
    this.#first = Math.max(0, this.#first + step);
    this.#place.refresh();
  }
}

/** Both columns; what does not fit beside goes on below, indented. */
export function renderHelpLines(lines: readonly HelpLine[], columns: number): Row[] {
  const width = Math.max(18, ...lines.map(([what]) => columnsOf(what))) + 3;
  return lines.flatMap(([what, help]) =>
    wrapWords(help, Math.max(20, columns - width - 4)).map(
      (text, at): Row => [
        span('   '),
        span(at === 0 ? what : '', 'accent'),
        span(' '.repeat(width - (at === 0 ? columnsOf(what) : 0))),
        span(text, 'dim'),
      ],
    ),
  );
}
