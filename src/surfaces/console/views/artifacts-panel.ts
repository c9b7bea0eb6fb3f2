import type { ArtifactInfo, Artifacts } from '../../../index.ts';
import { renderDuration, renderRoundedSize } from '../../rendering/amounts.ts';
import { toPlainLines } from '../../rendering/printable.ts';
import type { ScreenContent, ScreenSize } from '../screen/frame-renderer.ts';
import type { KeyPress } from '../screen/key-reader.ts';
import { type StyledRow, span } from '../screen/styled-row.ts';
import type { Panel, PanelHost } from './panel.ts';
import {
  blankRows,
  type ListSelection,
  moveListSelection,
  renderKeyHints,
  renderTitleRow,
  toListStep,
} from './panel.ts';

const MAX_ROWS = 500;

export interface ArtifactsPanelOptions extends PanelHost {
  readonly artifacts: Artifacts;
  readonly onOpen: (name: string) => void;
}

/** Lists the artifacts of the session, newest first. */
export class ArtifactsPanel implements Panel {
  readonly #options: ArtifactsPanelOptions;
  readonly #all: readonly ArtifactInfo[];
  #choice: ListSelection = { at: 0, first: 0 };
  #room = 10;

  constructor(options: ArtifactsPanelOptions) {
    this.#options = options;
    this.#all = options.artifacts.list().slice(0, MAX_ROWS);
  }

  render({ rows }: ScreenSize): ScreenContent {
    this.#room = Math.max(1, rows - 3);
    const { first, at } = this.#choice;
    const body = this.#all
      .slice(first, first + this.#room)
      .map((each, row) => toArtifactRow(each, row + first === at));
    const empty: StyledRow[] = body.length === 0 ? [[span('   No outputs yet.', 'dim')]] : [];
    return {
      rows: [
        renderTitleRow('Artifacts', this.#all.length === 1 ? '1 output' : `${this.#all.length} outputs`),
        [],
        ...body,
        ...empty,
        ...blankRows(this.#room - body.length - empty.length),
        renderKeyHints('↑↓', 'choose', 'enter', 'open', 'q', 'back'),
      ],
      cursor: null,
    };
  }

  onKey({ name, text }: KeyPress): void {
    const chosen = this.#all[this.#choice.at];
    const step = toListStep(name, this.#room);
    if (name === 'escape' || text === 'q' || name === 'ctrl-c') this.#options.close();
    else if (name === 'enter' && chosen !== undefined) this.#options.onOpen(`artifact://${chosen.id}`);
    else this.#choice = moveListSelection(this.#choice, step, { count: this.#all.length, room: this.#room });
    this.#options.refresh();
  }
}

function toArtifactRow(info: ArtifactInfo, isChosen: boolean): StyledRow {
  const size = renderRoundedSize(info.outBytes + info.errBytes).padStart(10);
  const age = `${renderDuration(Date.now() - info.startedAt)} ago`.padStart(16);
  return [
    span(isChosen ? ' ▌ ' : '   ', 'accent'),
    span(size, 'output'),
    span(`${age}   `, 'dim'),
    span(toPlainLines(info.command)[0] ?? '', isChosen ? 'strong' : 'output'),
  ];
}
