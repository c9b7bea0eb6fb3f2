/** Making the output of noisy commands shorter, when it does not fit. */
export interface MinimizerOptions {
  /**
   * Whether it is done at all. A call says `raw: true` to do without.
   *
   * @default true
   */
  readonly enabled?: boolean;
  /**
   * Only these condensers, by name; empty for all of them.
   *
   * @default []
   */
  readonly only?: readonly string[];
  /**
   * All but these.
   *
   * @default []
   */
  readonly except?: readonly string[];
  /**
   * Condensers of your own. For a command that one of these is for, it takes the place of the built-in one.
   *
   * @default []
   */
  readonly condensers?: readonly CondenserRule[];
}

/** A condenser of your own. */
export interface CondenserRule {
  readonly name: string;
  /** A program, or a program and its first words: `mytool`, `mytool sync`. */
  readonly commands: readonly string[];
  /** Lines that are left out and counted. One that looks like a failure or a warning stays all the same. */
  readonly drop: readonly DropRule[];
  /** Lines that always stay: a regular expression. */
  readonly keep?: string;
}

export interface DropRule {
  /** A regular expression. */
  readonly pattern: string;
  /** `i`, `u` or both. */
  readonly flags?: string;
  /** What such lines are, in the plural: the count says it. */
  readonly what: string;
}
