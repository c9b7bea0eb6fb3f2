import type { CallCard } from '../cards/card.ts';
import type { Transcript } from '../cards/transcript.ts';

/** Where a person is in the transcript: how far up, and at which call. */
export class Browsing {
  readonly #transcript: Transcript;
  #chosen: number | null = null;
  #scroll = 0;
  #seeks = false;

  constructor(transcript: Transcript) {
    this.#transcript = transcript;
  }

  /** `null`: the latest, wherever that is. */
  get chosen(): number | null {
    return this.#chosen;
  }

  /** How many rows above the end. */
  get scroll(): number {
    return this.#scroll;
  }

  /** Whether the chosen call has to be brought to the screen first. */
  get seeks(): boolean {
    return this.#seeks;
  }

  /** The call that keys are about: the chosen one, else the latest. */
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
    // Past the latest there is none to choose: back to where one writes.
    this.#chosen = ids[Math.max(0, at + by)] ?? null;
    this.#seeks = this.#chosen !== null;
    if (this.#chosen === null) this.#scroll = 0;
  }

  /** Folds or unfolds the current call. */
  toggle(): void {
    const { current } = this;
    if (current !== null)
      this.#transcript.change<CallCard>(current.id, { isExpanded: !current.card.isExpanded });
  }

  /** Back to the end, with nothing chosen. */
  reset(): void {
    this.#chosen = null;
    this.#scroll = 0;
  }

  #callIds(): number[] {
    return this.#transcript.ids.filter((id) => this.#transcript.get(id)?.kind === 'call');
  }
}
