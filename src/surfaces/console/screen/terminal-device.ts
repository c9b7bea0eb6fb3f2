import type { KeyModes } from '../../../index.ts';
import type { ScreenSize } from './frame-renderer.ts';

/** What our own terminal has said of itself. */
export type TerminalReply =
  | { readonly kind: 'keyboard' }
  | { readonly kind: 'ground'; readonly isLight: boolean };

/** Asks for the colour of the ground. */
export const QUERY_BACKGROUND = '\x1b]11;?\x1b\\';

/** Each colour is two or four digits; their first two say enough. */
const BACKGROUND_REPLY = /^\x1b\]11;rgba?:([\da-f]{2})[\da-f]*\/([\da-f]{2})[\da-f]*\/([\da-f]{2})/i;

export function parseTerminalReply(sequence: string): TerminalReply | null {
  if (/^\x1b\[\?\d+u$/.test(sequence)) return { kind: 'keyboard' };
  const [, red, green, blue] = BACKGROUND_REPLY.exec(sequence) ?? [];
  if (red === undefined || green === undefined || blue === undefined) return null;
  const [r, g, b] = [red, green, blue].map((part) => Number.parseInt(part, 16));
  // As bright as eyes have it: green most, blue least.
  return { kind: 'ground', isLight: 0.299 * (r ?? 0) + 0.587 * (g ?? 0) + 0.114 * (b ?? 0) > 128 };
}

type KeyboardModes = Pick<KeyModes, 'kitty' | 'modifyOtherKeys'>;

/** Keys that look alike are told apart: what a prompt has use for. */
const CONSOLE_MODES: KeyboardModes = { kitty: 1, modifyOtherKeys: 0 };

/** Asks the terminal what it can do; what it does not know it does not answer. */
export const QUERY_KEYBOARD = '\x1b[?u';

/**
 * How our own terminal sends keys. A terminal that knows the Kitty protocol is asked to use it, with what the program
 * that has the screen wants of it: a key that does not reach us cannot be passed on.
 */
export class KeyboardProtocol {
  #isAble = false;
  #kitty = 0;
  #other = 0;

  /** The terminal has answered that it knows the protocol. */
  enableKitty(): void {
    this.#isAble = true;
  }

  /** What to write so that keys come like this. */
  toModeSequence({ kitty, modifyOtherKeys }: KeyboardModes = CONSOLE_MODES): string {
    const flags = kitty | CONSOLE_MODES.kitty;
    const parts: string[] = [];
    if (this.#isAble && this.#kitty === 0) parts.push(`\x1b[>${flags}u`);
    else if (this.#isAble && this.#kitty !== flags) parts.push(`\x1b[=${flags};1u`);
    if (this.#isAble) this.#kitty = flags;
    // Without a change nothing is said: not every terminal knows the word.
    if (!this.#isAble && this.#other !== modifyOtherKeys) {
      parts.push(`\x1b[>4;${modifyOtherKeys}m`);
      this.#other = modifyOtherKeys;
    }
    return parts.join('');
  }

  /** What to write at the end. */
  toResetSequence(): string {
    const parts = [...(this.#kitty === 0 ? [] : ['\x1b[<u']), ...(this.#other === 0 ? [] : ['\x1b[>4;0m'])];
    this.#kitty = 0;
    this.#other = 0;
    return parts.join('');
  }
}

/** The terminal a person sits at, or one that a test pretends to be. */
export interface TerminalDevice {
  readonly size: ScreenSize;
  write(text: string): void;
  /** Begins to listen; what it returns ends that. */
  open(listener: TerminalListener): () => void;
}

export interface TerminalListener {
  onInput(bytes: Uint8Array): void;
  onResize(): void;
}

/** Another screen, no echo, marked pastes, two questions; and everything back as it was. */
export const ENTER_SEQUENCE: string = `\x1b[?1049h\x1b[?2004h\x1b[?7l${QUERY_KEYBOARD}${QUERY_BACKGROUND}`;
const LEAVE_SEQUENCE = '\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[0m\x1b[?1049l';

/** The terminal of this process. */
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
      // Whatever ends this program, the person gets the terminal back.
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
