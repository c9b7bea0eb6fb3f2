import type { Artifact, Artifacts } from '../../index.ts';
import { type KeyPress, KeyReader } from './screen/key-reader.ts';
import { ScreenPainter } from './screen/screen-painter.ts';
import { canAdaptTheme, chooseTheme, type Theme, themeForBackground } from './screen/styled-row.ts';
import { createTerminalDevice, parseTerminalReply, type TerminalDevice } from './screen/terminal-device.ts';
import { OutputViewer } from './views/output-viewer.ts';
import type { Panel, PanelHost } from './views/panel.ts';

export interface TerminalAppOptions {
  readonly device: TerminalDevice;
  readonly theme: Theme;
  /** Whether the theme follows the background colour that the terminal reports. */
  readonly adaptTheme: boolean;
}

/** The terminal of this process, with the theme of its environment. */
export function processTerminal(): TerminalAppOptions {
  const { stdin, stdout, env } = process;
  return {
    device: createTerminalDevice(stdin, stdout),
    theme: chooseTheme(env),
    adaptTheme: canAdaptTheme(env),
  };
}

/** A full-screen program: a base panel and a stack of panels above it. */
export class TerminalApp {
  readonly #options: TerminalAppOptions;
  readonly #painter: ScreenPainter;
  readonly #reader: KeyReader;
  readonly #panels: Panel[] = [];
  readonly #quitRequested: Promise<void>;
  #quit: () => void = () => undefined;
  readonly refresh: () => void;

  constructor(options: TerminalAppOptions) {
    this.#options = options;
    const { device, theme } = options;
    this.#painter = new ScreenPainter({
      device,
      theme,
      render: (size) => this.#panels.at(-1)?.render(size) ?? { rows: [], cursor: null },
    });
    this.refresh = this.#painter.refresh;
    this.#reader = new KeyReader({
      onKey: (key) => this.#onKey(key),
      onReply: (reply) => this.#onReply(reply),
    });
    this.#quitRequested = new Promise((resolve) => {
      this.#quit = resolve;
    });
  }

  get size(): TerminalDevice['size'] {
    return this.#options.device.size;
  }

  /** Shows the base panel; resolves after `quit()`. */
  async run(base: Panel): Promise<void> {
    const { device } = this.#options;
    this.#panels.unshift(base);
    const close = device.open({
      onInput: (bytes) => this.#reader.read(bytes),
      onResize: () => {
        for (const panel of this.#panels) panel.onResize?.(device.size);
        this.#painter.draw();
      },
    });
    this.#painter.draw();
    await this.#quitRequested;
    this.#reader.close();
    for (const panel of this.#panels) panel.onClose?.();
    this.#painter.close();
    close();
  }

  quit(): void {
    this.#quit();
  }

  /** Opens a panel above the others; its host's `close` removes it again. */
  open<P extends Panel>(create: (host: PanelHost) => P): P {
    const panel: P = create({ refresh: this.refresh, close: () => this.#remove(panel) });
    this.#panels.push(panel);
    this.redraw();
    return panel;
  }

  /** Opens the full output of a run; throws when it is not stored. */
  openOutput(artifacts: Artifacts, id: string, fromEnd = false): void {
    const name = id.startsWith('artifact://') ? id : `artifact://${id}`;
    const open = (): Artifact => artifacts.open(name);
    this.open((host) => new OutputViewer({ ...host, name, open, fromEnd }));
  }

  /** Draws the whole screen again. */
  redraw(): void {
    this.#painter.redrawAll();
  }

  #remove(panel: Panel): void {
    const at = this.#panels.indexOf(panel);
    if (at < 0) return;
    this.#panels.splice(at, 1);
    panel.onClose?.();
    this.redraw();
  }

  #onKey(key: KeyPress): void {
    this.#panels.at(-1)?.onKey(key);
    this.#painter.refreshForKey();
  }

  #onReply(sequence: string): void {
    const reply = parseTerminalReply(sequence);
    if (reply?.kind === 'keyboard') this.#painter.keyboard.enableKitty();
    else if (reply?.kind === 'background' && this.#options.adaptTheme)
      this.#painter.setTheme(themeForBackground(reply.isLight ? 'light' : 'dark'));
    this.refresh();
  }
}
