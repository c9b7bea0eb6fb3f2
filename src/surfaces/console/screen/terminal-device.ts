import type { KeyModes } from '../../../index.ts';
import type { ScreenSize } from './frame-renderer.ts';

/** A parsed reply of the terminal. */
export type TerminalReply =
  | { readonly kind: 'keyboard' }
  | { readonly kind: 'background'; readonly isLight: boolean };

/** OSC 11 query for the background colour. */
export const QUERY_BACKGROUND = '\x1b]11;?\x1b\\';

/** Each component has two or four hexadecimal digits; the first two are sufficient. */
const BACKGROUND_REPLY = /^\x1b\]11;rgba?:([\da-f]{2})[\da-f]*\/([\da-f]{2})[\da-f]*\/([\da-f]{2})/i;

export function parseTerminalReply(sequence: string): TerminalReply | null {
  if (/^\x1b\[\?\d+u$/.test(sequence)) return { kind: 'keyboard' };
  const [, red, green, blue] = BACKGROUND_REPLY.exec(sequence) ?? [];
  if (red === undefined || green === undefined || blue === undefined) return null;
  const [r, g, b] = [red, green, blue].map((part) => Number.parseInt(part, 16));
  // Perceived luminance (ITU-R BT.601).
  return { kind: 'background', isLight: 0.299 * (r ?? 0) + 0.587 * (g ?? 0) + 0.114 * (b ?? 0) > 128 };
}

type KeyboardModes = Pick<KeyModes, 'kitty' | 'modifyOtherKeys'>;

/** Kitty flag 1 disambiguates keys such as tab and ctrl-i. */
const CONSOLE_MODES: KeyboardModes = { kitty: 1, modifyOtherKeys: 0 };

/** Queries the Kitty keyboard protocol; terminals without it do not reply. */
export const QUERY_KEYBOARD = '\x1b[?u';

/**
 * The keyboard mode of the terminal. With the Kitty protocol the flags include those that the embedded program
 * requested, because only received keys can be passed on.
 */
export class KeyboardProtocol {
  #hasKitty = false;
  #kitty = 0;
  #other = 0;

  /** Called when the terminal has reported that it supports the protocol. */
  enableKitty(): void {
    this.#hasKitty = true;
  }

  /** The sequence that switches to a keyboard mode. */
  toModeSequence({ kitty, modifyOtherKeys }: KeyboardModes = CONSOLE_MODES): string {
    const flags = kitty | CONSOLE_MODES.kitty;
    const parts: string[] = [];
    if (this.#hasKitty && this.#kitty === 0) parts.push(`\x1b[>${flags}u`);
    else if (this.#hasKitty && this.#kitty !== flags) parts.push(`\x1b[=${flags};1u`);
    if (this.#hasKitty) this.#kitty = flags;
    // Written only on a change, because not every terminal supports the sequence.
    if (!this.#hasKitty && this.#other !== modifyOtherKeys) {
      parts.push(`\x1b[>4;${modifyOtherKeys}m`);
      this.#other = modifyOtherKeys;
    }
    return parts.join('');
  }

  /** The sequence that restores the default mode. */
  toResetSequence(): string {
    const parts = [...(this.#kitty === 0 ? [] : ['\x1b[<u']), ...(this.#other === 0 ? [] : ['\x1b[>4;0m'])];
    this.#kitty = 0;
    this.#other = 0;
    return parts.join('');
  }
}

/** A terminal, or a test double of one. */
export interface TerminalDevice {
  readonly size: ScreenSize;
  write(text: string): void;
  /** Starts listening; the returned function stops it. */
  open(listener: TerminalListener): () => void;
}

export interface TerminalListener {
  onInput(bytes: Uint8Array): void;
  onResize(): void;
}

/** Alternate screen, bracketed paste, no line wrap, and two queries. */
export const ENTER_SEQUENCE: string = `\x1b[?1049h\x1b[?2004h\x1b[?7l${QUERY_KEYBOARD}${QUERY_BACKGROUND}`;
const LEAVE_SEQUENCE = '\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[0m\x1b[?1049l';

/** The terminal device of this process. */
export function createTerminalDevice(input: NodeJS.ReadStream, output: NodeJS.WriteStream): TerminalDevice {
  return {
    get size() {
      return { columns: output.columns || 80, rows: output.rows || 24 };
    },
    write: (text) => void output.write(text),
    open: ({ onInput, onResize }) => {
      input.setRawMode(true);
      input.on('data', onInput);
      input.resume();
      output.on('resize', onResize);
      output.write(ENTER_SEQUENCE);
      const restore = (): void => {
        output.write(LEAVE_SEQUENCE);
        input.setRawMode(false);
      };
      // Restores the terminal on every kind of exit.
      process.once('exit', restore);
      return () => {
        process.off('exit', restore);
        input.off('data', onInput);
        input.pause();
        output.off('resize', onResize);
        restore();
      };
    },
  };
}
