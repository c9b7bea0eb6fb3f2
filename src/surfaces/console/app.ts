import type { JobInfo } from '../../index.ts';
import { Calls } from './cards/calls.ts';
import { type CallCard, isOver } from './cards/card.ts';
import { Transcript } from './cards/transcript.ts';
import type { ConsoleOptions } from './console-options.ts';
import type { Desk } from './desk.ts';
import type { Key } from './keys/key.ts';
import { KeyReader } from './keys/key-reader.ts';
import type { Layer } from './layer.ts';
import { Browsing } from './main/browsing.ts';
import { Controls } from './main/controls.ts';
import { renderJobEnd } from './main/job-end.ts';
import { Questions } from './main/questions.ts';
import { renderMain } from './main/render-main.ts';
import { readBranch } from './main/status.ts';
import { carryOut } from './orders/carry-out.ts';
import { ORDERS } from './orders/orders.ts';
import { JobsPanel } from './panels/jobs-panel.ts';
import { Viewer } from './panels/viewer.ts';
import { History } from './prompt/history.ts';
import { Prompt } from './prompt/prompt.ts';
import { readAnswer } from './screen/answer.ts';
import type { FrameSize } from './screen/frame.ts';
import { Painter, type Scene } from './screen/painter.ts';
import { themeFor } from './screen/theme.ts';

/** The console: a prompt, what was run, and whatever is laid over it. */
export class App implements Desk {
  readonly options: ConsoleOptions;
  readonly transcript: Transcript = new Transcript();
  readonly calls: Calls;
  readonly refresh: () => void;
  readonly #painter: Painter;
  readonly #prompt: Prompt;
  readonly #reader: KeyReader;
  readonly #browsing: Browsing;
  readonly #controls: Controls;
  readonly #questions: Questions;
  readonly #layers: Layer[] = [];
  #branch: string | null = null;
  #leave: () => void = () => undefined;

  constructor(options: ConsoleOptions) {
    this.options = options;
    const { bash, person, theme, historyFile, device } = options;
    this.#painter = new Painter({ device, theme, render: (size) => this.#render(size) });
    this.refresh = this.#painter.refresh;
    this.calls = new Calls({ bash, person, transcript: this.transcript, refresh: this.refresh });
    this.#reader = new KeyReader({
      onKey: (key) => this.#onKey(key),
      onAnswer: (answer) => this.#onAnswer(answer),
    });
    this.#questions = new Questions(bash.approvals);
    this.#browsing = new Browsing(this.transcript);
    this.#prompt = new Prompt({
      history: new History(historyFile),
      place: () => ({ ...options.place, cwd: options.cwd(), orders: ORDERS.map(({ name }) => name) }),
    });
    this.#controls = new Controls({
      ...{ calls: this.calls, prompt: this.#prompt, browsing: this.#browsing },
      page: () => Math.max(1, device.size.rows - 4),
      say: (text) => this.say(text),
      openCurrent: () => this.#openCurrent(),
      openJobs: () => this.openJobs(),
      redraw: () => this.#painter.forget(),
      quit: () => this.quit(),
    });
  }

  /** Resolves when the person has left. */
  async run(): Promise<void> {
    const { device } = this.options;
    const left = new Promise<void>((resolve) => {
      this.#leave = resolve;
    });
    const close = device.open({
      onInput: (bytes) => this.#reader.read(bytes),
      onResize: () => {
        for (const layer of this.#layers) layer.onResize?.(device.size);
        this.#painter.draw();
      },
    });
    const forget = this.#questions.watch((kind) => this.#onQuestion(kind));
    this.#noticePlace();
    this.#painter.draw();
    await left;
    forget();
    this.#reader.close();
    for (const layer of this.#layers) layer.onClose?.();
    this.#painter.close();
    close();
  }

  say(text: string, tone: 'dim' | 'warn' | 'bad' | 'accent' = 'dim'): void {
    this.transcript.add({ kind: 'note', text, tone });
    this.refresh();
  }

  /** Told in a line, wherever one is in the transcript, and at the call it was. */
  onJobEnd(job: JobInfo): void {
    void this.calls.jobEnded(job);
    this.say(...renderJobEnd(job));
  }

  /** Leaves: calls of the person end, jobs go on. */
  quit(): void {
    this.calls.stopAll();
    this.#leave();
  }

  push(layer: Layer): void {
    this.#layers.push(layer);
    this.#painter.forget();
  }

  /** Takes a layer away, wherever it is. */
  remove(layer: Layer): void {
    const at = this.#layers.indexOf(layer);
    if (at < 0) return;
    this.#layers.splice(at, 1);
    layer.onClose?.();
    this.#painter.forget();
  }

  /** The full output of a run, to page through. */
  open(name: string): void {
    try {
      const layer: Layer = new Viewer({
        ...{ name, refresh: this.refresh },
        open: () => this.options.artifacts.open(name),
        close: () => this.remove(layer),
      });
      this.push(layer);
    } catch (error) {
      this.say(error instanceof Error ? error.message : String(error), 'bad');
    }
  }

  openJobs(): void {
    const layer: Layer = new JobsPanel({
      jobs: this.options.bash.jobs,
      refresh: this.refresh,
      close: () => this.remove(layer),
      onOpen: ({ id }) => this.open(`artifact://${id}`),
    });
    this.push(layer);
  }

  current(): { readonly id: number; readonly card: CallCard } | null {
    return this.#browsing.current;
  }

  #onKey(key: Key): void {
    const layer = this.#layers.at(-1);
    if (layer !== undefined) layer.onKey(key);
    else if (!this.#questions.take(key) && !this.#controls.take(key)) this.#type(key);
    this.#painter.refreshForKey();
  }

  #onAnswer(sequence: string): void {
    const answer = readAnswer(sequence);
    if (answer?.kind === 'keyboard') this.#painter.keyboard.learn();
    else if (answer?.kind === 'ground' && this.options.mayAdapt)
      this.#painter.wear(themeFor(answer.isLight ? 'light' : 'dark'));
    this.refresh();
  }

  #type(key: Key): void {
    const event = this.#prompt.onKey(key);
    if (event?.kind !== 'submit') return;
    this.#browsing.reset();
    void carryOut(event.line, this).then(() => this.#noticePlace());
  }

  #openCurrent(): void {
    const card = this.#browsing.current?.card;
    const artifact = card?.result?.run.artifact ?? null;
    if (artifact !== null) this.open(artifact);
    else if (card === undefined) this.say('Nothing has been run yet.');
    else
      this.say(
        isOver(card) ? 'Its full output was not kept.' : 'It still runs; its output opens when it is over.',
      );
  }

  #onQuestion(kind: 'asked' | 'settled'): void {
    const { newest } = this.calls;
    if (newest !== null)
      this.transcript.change<CallCard>(newest, { state: kind === 'asked' ? 'asking' : 'running' });
    this.refresh();
  }

  #noticePlace(): void {
    // Of another machine's directories nothing is known here.
    const { host } = this.options.place;
    this.#branch = host === null || host.startsWith('sandbox') ? readBranch(this.options.cwd()) : null;
    this.refresh();
  }

  #render(size: FrameSize): Scene {
    const layer = this.#layers.at(-1);
    if (layer !== undefined) return layer.render(size);
    const { options, transcript } = this;
    const picture = renderMain(
      {
        ...{ transcript, prompt: this.#prompt, version: options.version },
        ...{ question: this.#questions.first, focus: this.#questions.focus },
        ...{ chosen: this.#browsing.chosen, scroll: this.#browsing.scroll, seeks: this.#browsing.seeks },
        now: Date.now(),
        status: {
          ...{ host: options.place.host, cwd: options.cwd() },
          ...{ home: options.place.home, branch: this.#branch },
          ...{ running: this.calls.running, questions: this.#questions.count },
          liveJobs: options.liveJobs(),
        },
      },
      size,
    );
    this.#browsing.scrollTo(picture.scroll);
    return { ...picture, spins: this.calls.running > 0 };
  }
}
