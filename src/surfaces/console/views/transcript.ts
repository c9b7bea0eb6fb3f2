import type { StyledRow } from '../screen/styled-row.ts';
import { type CallCard, type Card, isFinished, renderCard } from './call-card.ts';

/** Older cards are not shown; the saved transcript contains them. */
const MAX_CARDS = 500;

interface CachedRows {
  readonly card: Card;
  readonly key: string;
  readonly rows: readonly StyledRow[];
}

/** The calls and notes of the console, oldest first, with their rendered rows. */
export class Transcript {
  #cards = new Map<number, Card>();
  readonly #rendered = new Map<number, CachedRows>();
  #next = 1;

  get ids(): readonly number[] {
    return [...this.#cards.keys()];
  }

  get(id: number): Card | undefined {
    return this.#cards.get(id);
  }

  add(card: Card): number {
    const id = this.#next++;
    this.#cards.set(id, card);
    const [oldest] = this.#cards.keys();
    if (this.#cards.size > MAX_CARDS && oldest !== undefined) this.#drop(oldest);
    return id;
  }

  /** Replaces a card; cards are immutable. */
  change<T extends Card>(id: number, change: Partial<T>): void {
    const card = this.#cards.get(id);
    if (card !== undefined) this.#cards.set(id, { ...card, ...change } as Card);
  }

  clear(): void {
    for (const id of this.ids) {
      const card = this.#cards.get(id);
      if (card?.kind === 'note' || (card !== undefined && isFinished(card))) this.#drop(id);
    }
  }

  /** All rows; unchanged cards are cached. */
  rows({ columns, now, chosen }: { columns: number; now: number; chosen: number | null }): StyledRow[] {
    return this.ids.flatMap((id) => this.#rowsOf(id, { columns, now, isChosen: id === chosen }));
  }

  /** Rows from the start and from the end of a card to the end of the transcript. */
  distanceToEnd(
    id: number,
    { columns, now, chosen }: { columns: number; now: number; chosen: number | null },
  ): { readonly fromStart: number; readonly fromEnd: number } {
    const view = (each: number) => ({ columns, now, isChosen: each === chosen });
    const after = this.ids.filter((each) => each > id);
    const fromEnd = after.reduce((count, each) => count + this.#rowsOf(each, view(each)).length, 0);
    return { fromStart: fromEnd + this.#rowsOf(id, view(id)).length, fromEnd };
  }

  #rowsOf(id: number, view: { columns: number; now: number; isChosen: boolean }): readonly StyledRow[] {
    const card = this.#cards.get(id);
    if (card === undefined) return [];
    const isStill = card.kind === 'note' || isFinished(card);
    const key = `${view.columns} ${view.isChosen} ${isStill ? '' : view.now}`;
    const known = this.#rendered.get(id);
    if (known !== undefined && known.card === card && known.key === key) return known.rows;
    const rows = renderCard(card, view);
    this.#rendered.set(id, { card, key, rows });
    return rows;
  }

  #drop(id: number): void {
    this.#cards.delete(id);
    this.#rendered.delete(id);
  }
}

/** The scroll position and the selected call. */
export class TranscriptCursor {
  readonly #transcript: Transcript;
  #chosen: number | null = null;
  #scroll = 0;
  #seeks = false;

  constructor(transcript: Transcript) {
    this.#transcript = transcript;
  }

  /** `null`: no selection, the latest call is current. */
  get chosen(): number | null {
    return this.#chosen;
  }

  /** Rows above the end. */
  get scroll(): number {
    return this.#scroll;
  }

  /** Whether the selected call must be scrolled into view. */
  get needsScroll(): boolean {
    return this.#seeks;
  }

  /** The selected call, otherwise the latest. */
  get current(): { readonly id: number; readonly card: CallCard } | null {
    const id = this.#chosen ?? this.#callIds().at(-1);
    const card = id === undefined ? undefined : this.#transcript.get(id);
    return id === undefined || card?.kind !== 'call' ? null : { id, card };
  }

  scrollTo(rows: number): void {
    this.#scroll = Math.max(0, rows);
    this.#seeks = false;
  }

  choose(by: 1 | -1): void {
    const ids = this.#callIds();
    const at = this.#chosen === null ? ids.length : ids.indexOf(this.#chosen);
    // Moving beyond the latest call clears the selection.
    this.#chosen = ids[Math.max(0, at + by)] ?? null;
    this.#seeks = this.#chosen !== null;
    if (this.#chosen === null) this.#scroll = 0;
  }

  /** Collapses or expands the current call. */
  toggle(): void {
    const { current } = this;
    if (current !== null)
      this.#transcript.change<CallCard>(current.id, { isExpanded: !current.card.isExpanded });
  }

  /** Scrolls to the end and clears the selection. */
  reset(): void {
    this.#chosen = null;
    this.#scroll = 0;
  }

  #callIds(): number[] {
    return this.#transcript.ids.filter((id) => this.#transcript.get(id)?.kind === 'call');
  }
}

/** Renders the transcript as text, without `!!` calls. */
export function renderTranscript(transcript: Transcript): string {
  return transcript.ids
    .map((id) => transcript.get(id))
    .filter((card) => card?.kind === 'call' && !card.isPrivate)
    .map((card) => renderTranscriptCall(card as CallCard))
    .join('\n');
}

function renderTranscriptCall({ by, command, output, problem, result, state }: CallCard): string {
  const mark = by === 'person' ? '!' : '$';
  const run = result?.run;
  const how = run?.signal ?? run?.exitCode ?? run?.status ?? state;
  const end = state === 'cancelled' ? 'cancelled' : `${how}`;
  return `${mark} ${command}\n${problem ?? output}${(problem ?? output).endsWith('\n') ? '' : '\n'}[${end}]\n`;
}
