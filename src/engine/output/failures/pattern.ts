/** How much a line says about why something failed. Higher ones get room first. */
export type Rank = 'failure' | 'summary' | 'maybe' | 'warning';

/** Lines near a recognised one that belong to it. */
export interface Nearby {
  readonly pattern: RegExp;
  /** At most so many of them, */
  readonly lines: number;
  /** looked for among so many lines; others between them are passed over. */
  readonly within: number;
}

/** A kind of line that tells how something went, as one tool or several write it. */
export interface FailurePattern {
  readonly pattern: RegExp;
  /**
   * In lower case: no line matches that has none of these. `~` is any digit, a leading newline the start of a
   * line. A pass over the raw bytes looks for these words alone, so they are at least four characters long.
   */
  readonly words: readonly string[];
  /** Its words are everywhere: where only the raw bytes are looked at, it is not looked for. */
  readonly common?: true;
  /** @default 'failure' */
  readonly rank?: Rank;
  readonly before?: Nearby;
  readonly follow?: Nearby;
  /** Lines of this kind that follow on each other are one message, up to so many. */
  readonly run?: number;
}
