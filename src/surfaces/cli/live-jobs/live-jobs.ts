import { constants } from 'node:os';
import { ReadStream, WriteStream } from 'node:tty';
import type { Jobs, JobWatch } from '../../../index.ts';
import { sortRunningFirst, toJobRow } from '../../rendering/job-table.ts';
import { outputRowCount, renderLiveScreen } from './live-screen.ts';
import {
  EMPTY_STATE,
  handleKey,
  type LiveEffect,
  type LiveState,
  parseLiveKeys,
  updateRows,
  visibleRows,
} from './live-state.ts';

export interface LiveJobsOptions {
  readonly onlyRunning: boolean;
}

const REDRAW_MS = 1_000;
/** Older ones are found by `nacre jobs list`. */
const MAX_ROWS = 500;
/** Another screen, no cursor; and what is too wide is cut, not wrapped. */
const ENTER_SCREEN = '\x1b[?1049h\x1b[?25l\x1b[?7l';
const LEAVE_SCREEN = '\x1b[?7h\x1b[?25h\x1b[?1049l';
const SIGNALS = ['SIGTERM', 'SIGHUP'] as const;

/** A table of jobs that is drawn again every second, until somebody quits. */
export async function showLiveJobs(jobs: Jobs, options: LiveJobsOptions): Promise<number> {
  const terminal = new RawTerminal();
  const table = new LiveTable({ jobs, watch: await jobs.watch(), ...options }, terminal);
  try {
    return await table.run();
  } finally {
    terminal.restore();
  }
}

/** The terminal of this program: what is typed, and what is seen. */
class RawTerminal {
  readonly #input = new ReadStream(0);
  readonly #output = new WriteStream(1);
  readonly #restore = (): void => this.restore();
  #isOurs = true;

  constructor() {
    this.#input.setRawMode(true);
    this.#input.setEncoding('utf8');
    this.#output.write(ENTER_SCREEN);
    // Whatever happens, nobody is left with a terminal that shows nothing.
    process.once('exit', this.#restore);
  }

  get size(): { readonly columns: number; readonly rows: number } {
    return { columns: this.#output.columns, rows: this.#output.rows };
  }

  onKeys(listen: (text: string) => void): void {
    this.#input.on('data', listen);
  }

  onResize(listen: () => void): void {
    this.#output.on('resize', listen);
  }

  /** In one write, and over what is there: nothing flickers. */
  draw(lines: readonly string[]): void {
    // Cleared before and not after: the last cell of a full line would go with the rest.
    const text = lines.map((line) => `\x1b[2K${line}`).join('\r\n');
    this.#output.write(`\x1b[H${text}${lines.length < this.size.rows ? '\r\n\x1b[J' : ''}`);
  }

  restore(): void {
    if (!this.#isOurs) return;
    this.#isOurs = false;
    process.off('exit', this.#restore);
    this.#output.write(LEAVE_SCREEN);
    this.#input.setRawMode(false);
    this.#input.destroy();
  }
}

interface LiveSources extends LiveJobsOptions {
  readonly jobs: Jobs;
  readonly watch: JobWatch;
}

class LiveTable {
  readonly #sources: LiveSources;
  readonly #terminal: RawTerminal;
  #state: LiveState = EMPTY_STATE;
  #output = '';
  #quit: (status: number) => void = () => undefined;

  constructor(sources: LiveSources, terminal: RawTerminal) {
    this.#sources = sources;
    this.#terminal = terminal;
  }

  /** Resolves with the exit status. */
  async run(): Promise<number> {
    const ended = new Promise<number>((resolve) => {
      this.#quit = resolve;
    });
    const onSignal = (signal: NodeJS.Signals): void => this.#quit(128 + (constants.signals[signal] ?? 0));
    for (const signal of SIGNALS) process.on(signal, onSignal);
    this.#terminal.onKeys((text) => this.#press(text));
    this.#terminal.onResize(() => this.#draw());
    const timer = setInterval(() => void this.#refresh(), REDRAW_MS);
    await this.#refresh();
    const status = await ended;
    clearInterval(timer);
    for (const signal of SIGNALS) process.off(signal, onSignal);
    return status;
  }

  #press(text: string): void {
    for (const key of parseLiveKeys(text)) {
      const { state, effect } = handleKey(this.#state, key);
      this.#state = state;
      this.#carryOut(effect);
    }
    void this.#refresh();
  }

  #carryOut(effect: LiveEffect): void {
    if (effect.kind === 'quit') this.#quit(effect.status);
    else if (effect.kind === 'stop') void this.#stop(effect.id);
  }

  async #stop(id: string): Promise<void> {
    const message = await this.#sources.jobs.kill(id, { escalate: true }).then(
      ({ survivors }) =>
        survivors.length === 0 ? 'Stopped.' : `Still alive: ${survivors.map(({ pid }) => pid).join(', ')}`,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    this.#state = { ...this.#state, message };
    await this.#refresh();
  }

  async #refresh(): Promise<void> {
    const { jobs, watch, onlyRunning } = this.#sources;
    const found = jobs.list().filter(({ state }) => !onlyRunning || state === 'running');
    const listed = sortRunningFirst(found).slice(0, MAX_ROWS);
    const onScreen = new Set(
      visibleRows(this.#state)
        .slice(0, this.#terminal.size.rows)
        .map(({ id }) => id),
    );
    const looked = listed.filter(({ id, state }) => state === 'running' || onScreen.has(id));
    const looks = watch.look(looked.map(({ id }) => id));
    const rows = listed.map((job) => toJobRow(job, looks.get(job.id)));
    this.#state = updateRows(this.#state, rows);
    await this.#readSelected();
    this.#draw();
  }

  /** What the selected job printed last, where that is shown. */
  async #readSelected(): Promise<void> {
    const { selected } = this.#state;
    const lines = outputRowCount(this.#state, this.#terminal.size);
    const read = selected === null || lines === 0 ? null : this.#sources.jobs.peek(selected, { lines });
    const text = await read?.then(
      ({ text }) => text,
      () => '',
    );
    // Somebody may have gone on to the next one meanwhile.
    if (selected === this.#state.selected) this.#output = text ?? '';
  }

  #draw(): void {
    const colour = process.env.NO_COLOR === undefined || process.env.NO_COLOR === '';
    this.#terminal.draw(
      renderLiveScreen(this.#state, { ...this.#terminal.size, colour, output: this.#output }),
    );
  }
}
