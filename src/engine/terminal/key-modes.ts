import type { IFunctionIdentifier, Terminal } from '@xterm/headless';

/** The keyboard modes that a program has set. */
export interface KeyModes {
  /** Arrow keys begin with `ESC O` instead of `ESC [`. */
  readonly applicationCursor: boolean;
  /** Pasted text is enclosed in paste marks. */
  readonly bracketedPaste: boolean;
  /** Flags of the Kitty keyboard protocol, 0 for none. */
  readonly kitty: number;
  /** xterm's modifyOtherKeys: 0 is off, 1 covers keys without another form, 2 all modified keys. */
  readonly modifyOtherKeys: 0 | 1 | 2;
}

/** Flags of the Kitty keyboard protocol. */
export const KITTY_FLAGS = {
  /** Escape, and ctrl or alt with a letter, get sequences of their own. */
  disambiguate: 1,
  /** Repeats and releases are reported. */
  events: 2,
  /** Shifted and standard-layout codes are reported. */
  alternates: 4,
  /** Keys that write text are sequences, too. */
  everyKey: 8,
  /** Sequences include the text they write. */
  text: 16,
} as const;

/** Limits memory for programs that push and never pop. */
const MAX_PUSHED = 32;
const EVERY_FLAG = 31;

/** Modes that the terminal emulator does not track itself. */
export interface TrackedModes {
  kitty(): number;
  modifyOtherKeys(): 0 | 1 | 2;
  isCursorHidden(): boolean;
}

/**
 * Tracks the keyboard and cursor modes that a program sets. Each of the two screen buffers has its own stack of
 * flags.
 */
export function trackKeyModes(terminal: Terminal, answer: (bytes: string) => void): TrackedModes {
  const stacks: Record<'normal' | 'alternate', number[]> = { normal: [0], alternate: [0] };
  let other: 0 | 1 | 2 = 0;
  let isCursorHidden = false;
  const stack = (): number[] => stacks[terminal.buffer.active.type];
  const reset = (): void => {
    Object.assign(stacks, { normal: [0], alternate: [0] });
    other = 0;
    isCursorHidden = false;
  };
  const on = (id: IFunctionIdentifier, act: (...numbers: number[]) => void, isOurs = true): void => {
    terminal.parser.registerCsiHandler(id, (params) => {
      act(...params.map((each) => (typeof each === 'number' ? each : (each[0] ?? 0))));
      return isOurs;
    });
  };
  on({ prefix: '>', final: 'u' }, (flags = 0) => {
    stack().push(flags & EVERY_FLAG);
    if (stack().length > MAX_PUSHED) stack().shift();
  });
  on({ prefix: '<', final: 'u' }, (count = 1) => {
    stack().splice(-Math.max(1, count));
    if (stack().length === 0) stack().push(0);
  });
  on({ prefix: '=', final: 'u' }, (flags = 0, how = 1) => {
    const now = stack().pop() ?? 0;
    stack().push((how === 2 ? now | flags : how === 3 ? now & ~flags : flags) & EVERY_FLAG);
  });
  on({ prefix: '?', final: 'u' }, () => answer(`\x1b[?${stack().at(-1) ?? 0}u`));
  on({ prefix: '>', final: 'm' }, (what, level = 0) => {
    if (what === 4 || what === 0) other = what === 4 && (level === 1 || level === 2) ? level : 0;
  });
  on({ prefix: '>', final: 'n' }, (what) => {
    if (what === 4) other = 0;
  });
  on({ prefix: '?', final: 'm' }, (what) => {
    if (what === 4) answer(`\x1b[>4;${other}m`);
  });
  const onCursor =
    (isHidden: boolean) =>
    (...modes: number[]) => {
      if (modes.includes(25)) isCursorHidden = isHidden;
    };
  on({ prefix: '?', final: 'h' }, onCursor(false), false);
  on({ prefix: '?', final: 'l' }, onCursor(true), false);
  on({ intermediates: '!', final: 'p' }, reset, false);
  terminal.parser.registerEscHandler({ final: 'c' }, () => {
    reset();
    return false;
  });
  return {
    kitty: () => stack().at(-1) ?? 0,
    modifyOtherKeys: () => other,
    isCursorHidden: () => isCursorHidden,
  };
}
