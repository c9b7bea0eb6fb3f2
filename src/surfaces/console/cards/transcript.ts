import type { Row } from '../screen/row.ts';
import type { Card } from './card.ts';
import { isOver } from './card.ts';
import { renderCard } from './render-card.ts';

/** More than this is not scrolled back to; the transcript that is saved has it all. */
const MOST_CARDS = 500;

interface Rendered {
  readonly card: Card;
  readonly key: string;
  readonly rows: readonly Row[];
}

/** The calls of this console, oldest first, and how they look at a width. */
export class Transcript {
  #cards = new Map<number, Card>();
  readonly #rendered = new Map<number, Rendered>();
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
    if (this.#cards.size > MOST_CARDS && oldest !== undefined) this.#drop(oldest);
    return id;
  }

  /** A card is never changed, but replaced by what it has become. */
  change<T extends Card>(id: number, change: Partial<T>): void {
    const card = this.#cards.get(id);
    if (card !== undefined) this.#cards.set(id, { ...card, ...change } as Card);
  }

  clear(): void {
    for (const id of this.ids) {
      const card = this.#cards.get(id);
      if (card?.kind === 'note' || (card !== undefined && isOver(card))) this.#drop(id);
    }
  }

  /** All rows; only cards that changed are made anew. */
  rows({ columns, now, chosen }: { columns: number; now: number; chosen: number | null }): Row[] {
    return this.ids.flatMap((id) => this.#rowsOf(id, { columns, now, isChosen: id === chosen }));
  }

  /** How many rows there are from the start and from the end of a card to the end of everything. */
  placeOf(
    id: number,
    { columns, now, chosen }: { columns: number; now: number; chosen: number | null },
  ): { readonly fromStart: number; readonly fromEnd: number } {
    const view = (each: number) => ({ columns, now, isChosen: each === chosen });
    const after = this.ids.filter((each) => each > id);
    const fromEnd = after.reduce((count, each) => count + this.#rowsOf(each, view(each)).length, 0);
    return { fromStart: fromEnd + this.#rowsOf(id, view(id)).length, fromEnd };
  }

  #rowsOf(id: number, view: { columns: number; now: number; isChosen: boolean }): readonly Row[] {
    const card = this.#cards.get(id);
    if (card === undefined) return [];
    const isStill = card.kind === 'note' || isOver(card);
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
