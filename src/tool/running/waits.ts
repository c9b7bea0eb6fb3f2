/** The waits of one instance that can be ended while what they wait for goes on. */
export class Waits {
  readonly #leaves = new Set<() => void>();

  /** What it returns forgets the wait. */
  add(leave: () => void): () => void {
    this.#leaves.add(leave);
    return () => this.#leaves.delete(leave);
  }

  /** Ends every wait there is. */
  end(): void {
    for (const leave of [...this.#leaves]) leave();
  }
}
