import { readKey } from '../../../index.ts';
import { splitGraphemes } from '../../rendering/text-width.ts';

/** One key press, typed text or paste. */
export interface KeyPress {
  /**
   * `enter`, `up`, `ctrl-c`, `alt-b`, …; `text` for typed text, `paste` for pasted text, `release` for a key
   * release.
   */
  readonly name: string;
  /** The typed or pasted text; otherwise empty. */
  readonly text: string;
  /** The received sequence. */
  readonly raw: string;
}

/** In the order of their names in `KeyPress.name`. */
const MODIFIERS = [
  ['super', 8],
  ['ctrl', 4],
  ['alt', 2],
  ['shift', 1],
] as const;

/** Parses a sequence or control character; `null` for a reply of the terminal or an unknown sequence. */
export function parseKeyPress(raw: string): KeyPress | null {
  const key = readKey(raw);
  if (key === null) return null;
  // Some terminals send this for backspace, others for ctrl-backspace.
  if (raw === '\b') return { name: 'backspace', text: '', raw };
  if (key.event === 'release') return { name: 'release', text: '', raw };
  const held = MODIFIERS.filter(([, bit]) => (key.modifiers & bit) !== 0).map(([name]) => name);
  if (raw.length > 1 && isTyped(key.text, held)) return { name: 'text', text: key.text, raw };
  const name = [...held, key.name].join('-');
  return { name: KEY_ALIASES[name] ?? name, text: '', raw };
}

/** With the Kitty protocol even letters arrive as sequences with their text. */
function isTyped(text: string, held: readonly string[]): boolean {
  return text !== '' && held.every((name) => name === 'shift');
}

/** Keys that have the effect of another key. */
const KEY_ALIASES: Readonly<Record<string, string>> = {
  'ctrl-j': 'enter',
  'ctrl-backspace': 'ctrl-w',
  'shift-space': 'space',
  'shift-backspace': 'backspace',
  'shift-enter': 'alt-enter',
};

const PASTE = { begin: '\x1b[200~', end: '\x1b[201~' };

/** A single ESC is the escape key when no further bytes arrive within this time. */
const ESCAPE_MS = 30;

/** Longer input at once is treated as one text. */
const MAX_TYPED = 64;

/** A paste without an end mark is delivered at this size. */
const MAX_PASTED = 4 * 1024 * 1024;

const COMPLETE_SEQUENCE =
  /^\x1b(?:\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]|O[\x40-\x7e]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[P_^X][^\x1b]*\x1b\\)/;
const PARTIAL_SEQUENCE = /^\x1b(?:\[[\x30-\x3f]*[\x20-\x2f]*|O|\][^\x07\x1b]*\x1b?|[P_^X][^\x1b]*\x1b?)?$/;

export interface KeyHandlers {
  readonly onKey: (key: KeyPress) => void;
  /** Receives replies of the terminal and unknown sequences. */
  readonly onReply?: (sequence: string) => void;
}

/** Parses terminal input into keys; sequences may be split across reads. */
export class KeyReader {
  readonly #onKey: (key: KeyPress) => void;
  readonly #onReply: (sequence: string) => void;
  readonly #decoder = new TextDecoder();
  #rest = '';
  #pasted: string | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor({ onKey, onReply }: KeyHandlers) {
    this.#onKey = onKey;
    this.#onReply = onReply ?? (() => undefined);
  }

  read(bytes: Uint8Array): void {
    clearTimeout(this.#timer);
    this.#rest += this.#decoder.decode(bytes, { stream: true });
    while (this.#rest !== '' && this.#take());
    if (this.#rest.startsWith('\x1b')) this.#timer = setTimeout(() => this.#giveUp(), ESCAPE_MS);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  /** Consumes one key; `false` when the input is incomplete. */
  #take(): boolean {
    if (this.#pasted !== null) return this.#takePaste(this.#pasted);
    if (this.#rest.startsWith(PASTE.begin)) {
      this.#rest = this.#rest.slice(PASTE.begin.length);
      this.#pasted = '';
      return true;
    }
    if (this.#rest.startsWith('\x1b')) return this.#takeEscape();
    const [text = ''] = /^[^\x00-\x1f\x7f]+/.exec(this.#rest) ?? [];
    if (text !== '') return this.#takeText(text);
    return this.#emitKey(this.#rest.charAt(0));
  }

  /** Short input is delivered key by key, long input as one text. */
  #takeText(text: string): boolean {
    if (text.length > MAX_TYPED) return this.#emit('text', text, text);
    for (const character of splitGraphemes(text)) this.#emit('text', character, character);
    return true;
  }

  #takeEscape(): boolean {
    const [sequence] = COMPLETE_SEQUENCE.exec(this.#rest) ?? [];
    if (sequence !== undefined) return this.#emitKey(sequence);
    if (PARTIAL_SEQUENCE.test(this.#rest)) return false;
    const [, next = ''] = this.#rest;
    return this.#emitKey(next === '\x1b' ? '\x1b' : `\x1b${next}`);
  }

  #takePaste(before: string): boolean {
    const end = this.#rest.indexOf(PASTE.end);
    const isOver = end >= 0 || before.length + this.#rest.length > MAX_PASTED;
    if (!isOver) {
      // The end mark may be split across reads.
      const keep = Math.min(this.#rest.length, PASTE.end.length - 1);
      this.#pasted = before + this.#rest.slice(0, this.#rest.length - keep);
      this.#rest = this.#rest.slice(this.#rest.length - keep);
      return false;
    }
    const text = before + (end >= 0 ? this.#rest.slice(0, end) : this.#rest);
    this.#rest = end >= 0 ? this.#rest.slice(end + PASTE.end.length) : '';
    this.#pasted = null;
    this.#onKey({ name: 'paste', text, raw: `${PASTE.begin}${text}${PASTE.end}` });
    return true;
  }

  #giveUp(): void {
    if (this.#rest === '\x1b') this.#emitKey('\x1b');
    else if (this.#pasted === null) {
      const [, first = ''] = this.#rest;
      this.#emitKey(`\x1b${first}`);
      while (this.#rest !== '' && this.#take());
    }
  }

  #emitKey(raw: string): boolean {
    this.#rest = this.#rest.slice(raw.length);
    const key = parseKeyPress(raw);
    if (key === null) this.#onReply(raw);
    else this.#onKey(key);
    return true;
  }

  #emit(name: string, text: string, raw: string): boolean {
    this.#rest = this.#rest.slice(raw.length);
    this.#onKey({ name, text, raw });
    return true;
  }
}
