/** Lines that may be left out, and what they are. */
export interface Rule {
  /** In the plural, as a count names them: `passed tests`. */
  readonly what: string;
  readonly pattern: RegExp;
  /** Left out whatever words they have; others stay when they look like a failure or a warning. */
  readonly sure?: true;
}

/** Lines of which nobody knows what they are before the last one has come: what a test printed. */
export interface Block {
  readonly what: string;
  readonly begins: RegExp;
  /** With this line all of them are left out, */
  readonly endsWell: RegExp;
  /** and with this one they stay. */
  readonly endsBadly: RegExp;
}

/** Lines of a list: of those that have the same key only the first ones stay. */
export interface Grouping {
  readonly what: string;
  /** Its first group, or all of it, is the key. */
  readonly pattern: RegExp;
  readonly keep: number;
}

/** How the output of one program is made shorter without anything missing that somebody would act on. */
export interface Condenser {
  readonly name: string;
  /** Which commands it is for: a program, or a program and the words that come first: `go test`. */
  readonly commands: readonly string[];
  /** The first that matches decides. */
  readonly rules?: readonly Rule[];
  /** Lines that no rule takes. */
  readonly keep?: RegExp;
  /** Names of groups; without a line below them that stays they go, too. */
  readonly headings?: RegExp;
  readonly blocks?: readonly Block[];
  readonly groupings?: readonly Grouping[];
  /** Its operands are names that somebody asked for: the first lines that have one stay. */
  readonly names?: true;
  /** These names, of the command at hand. */
  readonly asked?: readonly string[];
  /** Its rules say nothing but in the output of its own program: not for scripts that may run anything. */
  readonly own?: true;
}
