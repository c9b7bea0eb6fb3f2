/** How a program wants keys to be sent. */
export interface KeyModes {
  /** Arrows begin with `ESC O` instead of `ESC [`. */
  readonly applicationCursor: boolean;
  /** Pasted text is marked as such. */
  readonly bracketedPaste: boolean;
  /** The Kitty keyboard protocol: the flags that the program has set, 0 for none. */
  readonly kitty: number;
  /** The older way of xterm to tell keys apart: 0 is off, 1 for keys without another form, 2 for all that are modified. */
  readonly modifyOtherKeys: 0 | 1 | 2;
}

/** The flags of the Kitty keyboard protocol. */
export const KITTY = {
  /** Keys that look alike are told apart: escape, ctrl and alt with a letter. */
  disambiguate: 1,
  /** Keys that are held or let go are told, too. */
  events: 2,
  /** With the other characters of a key. */
  alternates: 4,
  /** Keys that write something are sequences, too. */
  everyKey: 8,
  /** Those say what they write. */
  text: 16,
} as const;
