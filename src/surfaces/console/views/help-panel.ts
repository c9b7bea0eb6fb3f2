import { displayWidth, wrapWords } from '../../rendering/text-width.ts';
import { HELP_SECTIONS, type HelpLine } from '../prompt/slash-commands.ts';
import type { ScreenContent, ScreenSize } from '../screen/frame-renderer.ts';
import type { KeyPress } from '../screen/key-reader.ts';
import { type StyledRow, span } from '../screen/styled-row.ts';
import type { Panel, PanelHost } from './panel.ts';
import { blankRows, renderKeyHints, renderTitleRow, toListStep } from './panel.ts';

/** Lists all inputs and keys. */
export class HelpPanel implements Panel {
  readonly #host: PanelHost;
  #first = 0;
  #room = 10;
  #count = 0;

  constructor(host: PanelHost) {
    this.#host = host;
  }

  render({ columns, rows }: ScreenSize): ScreenContent {
    this.#room = Math.max(1, rows - 3);
    const all = HELP_SECTIONS.flatMap(({ title, lines }, at): StyledRow[] => [
      ...(at === 0 ? [] : [[]]),
      [span('   '), span(title, 'strong')],
      ...renderHelpLines(lines, columns),
    ]);
    this.#count = all.length;
    this.#first = Math.max(0, Math.min(this.#first, all.length - this.#room));
    const shown = all.slice(this.#first, this.#first + this.#room);
    const below = all.length - this.#first - shown.length;
    return {
      rows: [
        renderTitleRow('Help', below > 0 ? `${below} more rows below` : ''),
        [],
        ...shown,
        ...blankRows(this.#room - shown.length),
        renderKeyHints('↑↓', 'scroll', 'q', 'back'),
      ],
      cursor: null,
    };
  }

  onKey({ name, text }: KeyPress): void {
    if (name === 'escape' || name === 'enter' || text === 'q' || name === 'ctrl-c') this.#host.close();
    const step = Math.max(-this.#count, Math.min(this.#count, toListStep(name, this.#room)));
    this.#first = Math.max(0, this.#first + step);
    this.#host.refresh();
  }
}

/** Renders two columns; the help text wraps with an indent. */
export function renderHelpLines(lines: readonly HelpLine[], columns: number): StyledRow[] {
  const width = Math.max(18, ...lines.map(([what]) => displayWidth(what))) + 3;
  return lines.flatMap(([what, help]) =>
    wrapWords(help, Math.max(20, columns - width - 4)).map(
      (text, at): StyledRow => [
        span('   '),
        span(at === 0 ? what : '', 'accent'),
        span(' '.repeat(width - (at === 0 ? displayWidth(what) : 0))),
        span(text, 'dim'),
      ],
    ),
  );
}
