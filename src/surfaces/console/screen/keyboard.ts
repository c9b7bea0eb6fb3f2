import type { KeyModes } from '../../../index.ts';

type Wanted = Pick<KeyModes, 'kitty' | 'modifyOtherKeys'>;

/** Keys that look alike are told apart: what a prompt has use for. */
const OWN: Wanted = { kitty: 1, modifyOtherKeys: 0 };

/** Asks the terminal what it can do; what it does not know it does not answer. */
export const ASK_KEYBOARD = '\x1b[?u';

/**
 * How our own terminal sends keys. A terminal that knows the Kitty protocol is asked to use it, with what the program
 * that has the screen wants of it: a key that does not reach us cannot be passed on.
 */
export class Keyboard {
  #isAble = false;
  #kitty = 0;
  #other = 0;

  /** The terminal has answered that it knows the protocol. */
  learn(): void {
    this.#isAble = true;
  }

  /** What to write so that keys come like this. */
  want({ kitty, modifyOtherKeys }: Wanted = OWN): string {
    const flags = kitty | OWN.kitty;
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
  leave(): string {
    const parts = [...(this.#kitty === 0 ? [] : ['\x1b[<u']), ...(this.#other === 0 ? [] : ['\x1b[>4;0m'])];
    this.#kitty = 0;
    this.#other = 0;
    return parts.join('');
  }
}
