import { vi } from 'vitest';
import { Screen } from '../../src/index.ts';
import {
  ENTER_SEQUENCE,
  type TerminalDevice,
  type TerminalListener,
} from '../../src/surfaces/console/screen/terminal-device.ts';

/** A terminal with nobody in front of it but a test: keys go in, the screen can be read. */
export class VirtualDevice implements TerminalDevice {
  readonly #screen: Screen;
  #listener: TerminalListener | null = null;
  #written: Promise<void> = Promise.resolve();

  constructor(columns = 80, rows = 24) {
    this.#screen = new Screen({ columns, rows });
  }

  get size(): { columns: number; rows: number } {
    return this.#screen.size;
  }

  write(text: string): void {
    this.#written = this.#screen.write(text);
  }

  open(listener: TerminalListener): () => void {
    this.#listener = listener;
    this.write(ENTER_SEQUENCE);
    return () => {
      this.#listener = null;
    };
  }

  press(keys: string): void {
    this.#listener?.onInput(Buffer.from(keys));
  }

  resize(columns: number, rows: number): void {
    this.#screen.resize({ columns, rows });
    this.#listener?.onResize();
  }

  async text(): Promise<string> {
    await this.#written;
    return this.#screen.rows().join('\n');
  }

  /** Until the screen shows it. */
  async shows(what: string | RegExp): Promise<string> {
    return vi.waitFor(
      async () => {
        const text = await this.text();
        const isThere = typeof what === 'string' ? text.includes(what) : what.test(text);
        if (!isThere) throw new Error(`The screen does not show ${what}:\n${text}`);
        return text;
      },
      { timeout: 20_000, interval: 20 },
    );
  }

  close(): void {
    this.#screen.close();
  }
}
