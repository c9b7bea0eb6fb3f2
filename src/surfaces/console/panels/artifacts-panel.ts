import type { ArtifactInfo, Artifacts } from '../../../index.ts';
import { renderDuration, renderSize } from '../cards/amounts.ts';
import { linesOf } from '../cards/render-card.ts';
import type { Key } from '../keys/key.ts';
import type { Layer, LayerPlace } from '../layer.ts';
import type { FrameSize, Picture } from '../screen/frame.ts';
import { type Row, span } from '../screen/row.ts';
import { type Choice, keyRow, moveChoice, stepOf, titleRow } from './list.ts';

const MOST_ROWS = 500;

export interface ArtifactsPanelOptions extends LayerPlace {
  readonly artifacts: Artifacts;
  readonly onOpen: (name: string) => void;
}

/** The full outputs of this session, newest first. */
export class ArtifactsPanel implements Layer {
  readonly #options: ArtifactsPanelOptions;
  readonly #all: readonly ArtifactInfo[];
  #choice: Choice = { at: 0, first: 0 };
  #room = 10;

  constructor(options: ArtifactsPanelOptions) {
    this.#options = options;
    this.#all = options.artifacts.list().slice(0, MOST_ROWS);
  }

  render({ rows }: FrameSize): Picture {
    this.#room = Math.max(1, rows - 3);
    const { first, at } = this.#choice;
    const body = this.#all
      .slice(first, first + this.#room)
      .map((each, row) => toRow(each, row + first === at));
    const empty: Row[] = body.length === 0 ? [[span('   Nothing has been run yet.', 'dim')]] : [];
    return {
      rows: [
        titleRow('Artifacts', this.#all.length === 1 ? '1 output' : `${this.#all.length} outputs`),
        [],
        ...body,
        ...empty,
        ...Array.from({ length: this.#room - body.length - empty.length }, (): Row => []),
        keyRow('↑↓', 'choose', 'enter', 'open', 'q', 'back'),
      ],
      cursor: null,
    };
  }

  onKey({ name, text }: Key): void {
    const chosen = this.#all[this.#choice.at];
    const step = stepOf(name, this.#room);
    if (name === 'escape' || text === 'q' || name === 'ctrl-c') this.#options.close();
    else if (name === 'enter' && chosen !== undefined) this.#options.onOpen(`artifact://${chosen.id}`);
    else this.#choice = moveChoice(this.#choice, step, { count: this.#all.length, room: this.#room });
    this.#options.refresh();
  }
}

function toRow(info: ArtifactInfo, isChosen: boolean): Row {
  const size = renderSize(info.outBytes + info.errBytes).padStart(10);
  const age = `${renderDuration(Date.now() - info.startedAt)} ago`.padStart(16);
  return [
    span(isChosen ? ' ▌ ' : '   ', 'accent'),
    span(size, 'output'),
    span(`${age}   `, 'dim'),
    span(linesOf(info.command)[0] ?? '', isChosen ? 'strong' : 'output'),
  ];
}
