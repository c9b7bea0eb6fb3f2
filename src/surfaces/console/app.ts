import type { OpenQuestion } from '../../index.ts';
import { Calls } from './calls.ts';
import { type CallCard, isOver } from './cards/card.ts';
import { Transcript } from './cards/transcript.ts';
import { carryOut } from './carry-out.ts';
import type { ConsoleOptions } from './console-options.ts';
import type { Desk } from './desk.ts';
import type { Key } from './keys/key.ts';
import { KeyReader } from './keys/key-reader.ts';
import type { Layer } from './layer.ts';
import { ORDERS } from './orders.ts';
import { JobsPanel } from './panels/jobs-panel.ts';
import { answerOf } from './panels/question.ts';
import { Viewer } from './panels/viewer.ts';
import { History } from './prompt/history.ts';
import { Prompt } from './prompt/prompt.ts';
import { renderMain } from './render-main.ts';
import { Frame } from './screen/frame.ts';
import { readBranch } from './status.ts';

/** Fast enough to look alive, slow enough to cost nothing. */
const FRAME_MS = 33;
const SPIN_MS = 90;

/** The console: a prompt, what was run, and whatever is laid over it. */
export class App implements Desk {
  readonly options: ConsoleOptions;
  readonly transcript: Transcript = new Transcript();
  readonly calls: Calls;
  readonly #frame: Frame;
  readonly #prompt: Prompt;
  readonly #reader: KeyReader;
  readonly #layers: Layer[] = [];
  readonly #questions: OpenQuestion[] = [];
  #chosen: number | null = null;
  #scroll = 0;
  #branch: string | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isLeaving = false;
  #leave: () => void = () => undefined;

  constructor(options: ConsoleOptions) {
    this.options = options;
    const { bash, person, theme, historyFile } = options;
    this.#frame = new Frame(theme);
    this.calls = new Calls({ bash, person, transcript: this.transcript, refresh: this.refresh });
    this.#reader = new KeyReader((key) => this.#onKey(key));
    this.#prompt = new Prompt({
      history: new History(historyFile),
      place: () => ({ ...options.place, cwd: options.cwd(), orders: ORDERS.map(({ name }) => name) }),
    });
  }

  /** Resolves when the person has left. */
  async run(): Promise<void> {
    const { device, bash } = this.options;
    const left = new Promise<void>((resolve) => {
      this.#leave = resolve;
    });
    const close = device.open({
      onInput: (bytes) => this.#reader.read(bytes),
      onResize: () => {
        this.#layers.at(-1)?.onResize?.(device.size);
        this.#draw();
      },
    });
    const forget = bash.approvals.watch(({ kind, question }) => this.#onQuestion(kind, question));
    this.say(`nacre ${this.options.version}. Type a command, or /help.`, 'dim');
    this.#noticePlace();
    this.#draw();
    await left;
    forget();
    clearTimeout(this.#timer);
    this.#reader.close();
    for (const layer of this.#layers) layer.onClose?.();
    close();
  }

  /** Draws soon: many changes are one picture. */
  readonly refresh = (): void => {
    if (this.#timer !== undefined || this.#isLeaving) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#draw();
    }, FRAME_MS);
  };

  say(text: string, tone: 'dim' | 'warn' | 'bad' | 'accent' = 'dim'): void {
    this.transcript.add({ kind: 'note', text, tone });
    this.refresh();
  }

  /** Leaves: calls of the person end, jobs go on. */
  quit(): void {
    this.#isLeaving = true;
    this.calls.stopAll();
    this.#leave();
  }

  push(layer: Layer): void {
    this.#layers.push(layer);
    this.#frame.forget();
    this.refresh();
  }

  /** Takes a layer away, wherever it is. */
  remove(layer: Layer): void {
    const at = this.#layers.indexOf(layer);
    if (at < 0) return;
    this.#layers.splice(at, 1);
    layer.onClose?.();
    this.#frame.forget();
    this.refresh();
  }

  /** The full output of a run, to page through. */
  open(name: string): void {
    try {
      const artifact = this.options.artifacts.open(name);
      const layer: Layer = new Viewer({
        ...{ name, artifact, refresh: this.refresh },
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

  /** The call that keys are about: the chosen one, else the latest. */
  current(): { readonly id: number; readonly card: CallCard } | null {
    const ids = this.#callIds();
    const id = this.#chosen ?? ids.at(-1);
    const card = id === undefined ? undefined : this.transcript.get(id);
    return id === undefined || card?.kind !== 'call' ? null : { id, card };
  }

  #onKey(key: Key): void {
    const layer = this.#layers.at(-1);
    if (layer !== undefined) layer.onKey(key);
    else if (!this.#answer(key) && !this.#control(key)) this.#type(key);
    this.refresh();
  }

  /** A question takes the keys that answer it, while nothing is being written. */
  #answer(key: Key): boolean {
    const [question] = this.#questions;
    if (question === undefined || this.#prompt.draft.text !== '') return false;
    const answer = answerOf(key, question);
    if (answer === null) return false;
    this.#questions.shift();
    try {
      this.options.bash.approvals.answer(question.id, answer);
    } catch {
      // Somebody else was faster.
    }
    return true;
  }

  #type(key: Key): void {
    const event = this.#prompt.onKey(key);
    if (event?.kind !== 'submit') return;
    this.#scroll = 0;
    this.#chosen = null;
    void carryOut(event.line, this).then(() => this.#noticePlace());
  }

  #control({ name }: Key): boolean {
    const page = Math.max(1, this.options.device.size.rows - 4);
    const actions: Readonly<Record<string, () => void>> = {
      escape: () => this.#escape(),
      'ctrl-c': () => this.#interrupt(),
      'ctrl-d': () => this.#endOfInput(),
      'ctrl-o': () => this.#toggle(),
      'ctrl-g': () => this.#openCurrent(),
      'ctrl-b': () => this.openJobs(),
      'ctrl-l': () => this.#frame.forget(),
      'page-up': () => this.#scrollBy(page),
      'page-down': () => this.#scrollBy(-page),
      'alt-up': () => this.#choose(-1),
      'alt-down': () => this.#choose(1),
    };
    const action = this.#prompt.query === null ? actions[name] : undefined;
    action?.();
    return action !== undefined;
  }

  #escape(): void {
    const { newest } = this.calls;
    if (newest !== null) this.calls.stop(newest);
    else if (this.#prompt.draft.text !== '') this.#prompt.clear();
    this.#chosen = null;
    this.#scroll = 0;
  }

  #interrupt(): void {
    if (this.#prompt.draft.text !== '') this.#prompt.clear();
    else if (this.calls.newest === null) this.say('ctrl-d leaves; esc stops what runs.');
    else this.calls.stop(this.calls.newest);
  }

  #endOfInput(): void {
    if (this.#prompt.draft.text === '') this.quit();
    else this.#prompt.onKey({ name: 'delete', text: '', raw: '' });
  }

  #toggle(): void {
    const current = this.current();
    if (current !== null)
      this.transcript.change<CallCard>(current.id, { isExpanded: !current.card.isExpanded });
  }

  #openCurrent(): void {
    const artifact = this.current()?.card.result?.run.artifact ?? null;
    if (artifact === null) this.say('Its full output was not kept, or it is not over yet.', 'warn');
    else this.open(artifact);
  }

  #choose(by: 1 | -1): void {
    const ids = this.#callIds();
    const at = this.#chosen === null ? ids.length : ids.indexOf(this.#chosen);
    this.#chosen = ids[Math.max(0, Math.min(ids.length - 1, at + by))] ?? null;
  }

  #callIds(): number[] {
    return this.transcript.ids.filter((id) => this.transcript.get(id)?.kind === 'call');
  }

  #scrollBy(rows: number): void {
    this.#scroll = Math.max(0, this.#scroll + rows);
  }

  #onQuestion(kind: 'asked' | 'settled', question: OpenQuestion): void {
    const at = this.#questions.findIndex(({ id }) => id === question.id);
    if (kind === 'asked' && at < 0) this.#questions.push(question);
    else if (kind === 'settled' && at >= 0) this.#questions.splice(at, 1);
    const { newest } = this.calls;
    if (newest !== null)
      this.transcript.change<CallCard>(newest, { state: kind === 'asked' ? 'asking' : 'running' });
    this.refresh();
  }

  #noticePlace(): void {
    this.#branch = readBranch(this.options.cwd());
    this.refresh();
  }

  #draw(): void {
    const { device } = this.options;
    const { size } = device;
    const layer = this.#layers.at(-1);
    const now = Date.now();
    const picture =
      layer?.render(size) ??
      renderMain(
        {
          ...{ transcript: this.transcript, prompt: this.#prompt, question: this.#questions[0] ?? null },
          ...{ chosen: this.#chosen, scroll: this.#scroll, now },
          status: {
            ...{ cwd: this.options.cwd(), home: this.options.place.home, branch: this.#branch },
            ...{ running: this.calls.running, questions: this.#questions.length },
            liveJobs: this.options.liveJobs(),
          },
        },
        size,
      );
    if ('scroll' in picture) this.#scroll = picture.scroll as number;
    device.write(this.#frame.draw(picture, size));
    if (this.#spins()) this.#timer ??= setTimeout(() => this.#tick(), SPIN_MS);
  }

  #tick(): void {
    this.#timer = undefined;
    this.#draw();
  }

  /** Whether something on the screen moves by itself. */
  #spins(): boolean {
    if (this.#layers.length > 0 || this.#isLeaving) return false;
    return this.transcript.ids.some((id) => {
      const card = this.transcript.get(id);
      return card?.kind === 'call' && !isOver(card);
    });
  }
}
