import type { JobInfo } from '../../index.ts';
import { renderDuration } from '../rendering/amounts.ts';
import { CallRunner } from './call-runner.ts';
import type { ConsoleContext, ConsoleOptions } from './console-context.ts';
import { InputHistory, Prompt } from './prompt/prompt.ts';
import { SLASH_COMMANDS } from './prompt/slash-commands.ts';
import { runInputLine } from './run-input-line.ts';
import type { ScreenSize } from './screen/frame-renderer.ts';
import { type KeyPress, KeyReader } from './screen/key-reader.ts';
import { ScreenPainter, type ScreenScene } from './screen/screen-painter.ts';
import { themeForBackground } from './screen/styled-row.ts';
import { parseTerminalReply } from './screen/terminal-device.ts';
import { PendingQuestions } from './views/approval-questions.ts';
import { type CallCard, isFinished } from './views/call-card.ts';
import { JobsPanel } from './views/jobs-panel.ts';
import { readGitBranch, renderMainView } from './views/main-view.ts';
import { OutputViewer } from './views/output-viewer.ts';
import type { Panel } from './views/panel.ts';
import { Transcript, TranscriptCursor } from './views/transcript.ts';

/** The end of a job as one line with its tone. */
export function toJobEndNote(job: JobInfo): readonly [text: string, tone: 'accent' | 'bad'] {
  const { state, signal, exitCode, status, name, label, startedAt, endedAt } = job;
  const time = renderDuration((endedAt ?? Date.now()) - startedAt);
  if (state !== 'failed') return [`job completed after ${time}: ${name ?? label}`, 'accent'];
  return [
    `job failed (${signal ?? (exitCode === null ? status : `exit ${exitCode}`)}) after ${time}: ${name ?? label}`,
    'bad',
  ];
}

export interface KeyBindingsOptions {
  readonly calls: CallRunner;
  readonly prompt: Prompt;
  readonly cursor: TranscriptCursor;
  /** Rows per page. */
  readonly page: () => number;
  readonly addNote: (text: string) => void;
  readonly openCurrent: () => void;
  readonly openJobs: () => void;
  readonly redraw: () => void;
  readonly quit: () => void;
}

/** Keys of the console itself, which are handled before the prompt. */
export class KeyBindings {
  readonly #options: KeyBindingsOptions;
  readonly #actions: Readonly<Record<string, () => void>>;

  constructor(options: KeyBindingsOptions) {
    const { cursor, page, openCurrent, openJobs, redraw } = options;
    this.#options = options;
    this.#actions = {
      escape: () => this.#escape(),
      'ctrl-c': () => this.#interrupt(),
      'ctrl-d': () => this.#endOfInput(),
      'ctrl-z': () => options.addNote('Nothing to suspend: esc stops what runs, ctrl-d leaves.'),
      'ctrl-o': () => cursor.toggle(),
      'ctrl-g': openCurrent,
      'ctrl-b': openJobs,
      'ctrl-l': redraw,
      'page-up': () => cursor.scrollTo(cursor.scroll + page()),
      'page-down': () => cursor.scrollTo(cursor.scroll - page()),
      'alt-up': () => cursor.choose(-1),
      'alt-down': () => cursor.choose(1),
    };
  }

  /** Returns whether the key was handled. During a history search all keys belong to the prompt. */
  handle({ name }: KeyPress): boolean {
    const action = this.#options.prompt.query === null ? this.#actions[name] : undefined;
    action?.();
    return action !== undefined;
  }

  #escape(): void {
    const { calls, prompt, cursor } = this.#options;
    if (calls.newestRunning !== null) calls.stop(calls.newestRunning);
    else if (prompt.draft.text !== '') prompt.clear();
    cursor.reset();
  }

  #interrupt(): void {
    const { calls, prompt, addNote } = this.#options;
    if (prompt.draft.text !== '') prompt.clear();
    else if (calls.newestRunning !== null) calls.stop(calls.newestRunning);
    else addNote('Nothing runs. ctrl-d leaves.');
  }

  #endOfInput(): void {
    const { prompt, quit } = this.#options;
    if (prompt.draft.text === '') quit();
    else prompt.onKey({ name: 'delete', text: '', raw: '' });
  }
}

/** The console: a prompt, the transcript and the panels above it. */
export class ConsoleApp implements ConsoleContext {
  readonly options: ConsoleOptions;
  readonly transcript: Transcript = new Transcript();
  readonly calls: CallRunner;
  readonly refresh: () => void;
  readonly #painter: ScreenPainter;
  readonly #prompt: Prompt;
  readonly #reader: KeyReader;
  readonly #browsing: TranscriptCursor;
  readonly #controls: KeyBindings;
  readonly #questions: PendingQuestions;
  readonly #layers: Panel[] = [];
  #branch: string | null = null;
  #leave: () => void = () => undefined;

  constructor(options: ConsoleOptions) {
    this.options = options;
    const { bash, person, theme, historyFile, device } = options;
    this.#painter = new ScreenPainter({ device, theme, render: (size) => this.#render(size) });
    this.refresh = this.#painter.refresh;
    this.calls = new CallRunner({ bash, person, transcript: this.transcript, refresh: this.refresh });
    this.#reader = new KeyReader({
      onKey: (key) => this.#onKey(key),
      onReply: (answer) => this.#onAnswer(answer),
    });
    this.#questions = new PendingQuestions(bash.approvals);
    this.#browsing = new TranscriptCursor(this.transcript);
    this.#prompt = new Prompt({
      history: new InputHistory(historyFile),
      completionSources: () => ({
        ...options.environment,
        cwd: options.cwd(),
        orders: SLASH_COMMANDS.map(({ name }) => name),
      }),
    });
    this.#controls = new KeyBindings({
      ...{ calls: this.calls, prompt: this.#prompt, cursor: this.#browsing },
      page: () => Math.max(1, device.size.rows - 4),
      addNote: (text) => this.addNote(text),
      openCurrent: () => this.#openCurrent(),
      openJobs: () => this.openJobs(),
      redraw: () => this.#painter.redrawAll(),
      quit: () => this.quit(),
    });
  }

  /** Resolves when the user has quit. */
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

  addNote(text: string, tone: 'dim' | 'warn' | 'bad' | 'accent' = 'dim'): void {
    this.transcript.add({ kind: 'note', text, tone });
    this.refresh();
  }

  /** Adds a note to the transcript and updates the call that started the job. */
  onJobEnd(job: JobInfo): void {
    void this.calls.onJobEnd(job);
    this.addNote(...toJobEndNote(job));
  }

  /** Quits: running calls are stopped, jobs keep running. */
  quit(): void {
    this.calls.stopAll();
    this.#leave();
  }

  pushPanel(layer: Panel): void {
    this.#layers.push(layer);
    this.#painter.redrawAll();
  }

  /** Removes a panel, whatever its position. */
  removePanel(layer: Panel): void {
    const at = this.#layers.indexOf(layer);
    if (at < 0) return;
    this.#layers.splice(at, 1);
    layer.onClose?.();
    this.#painter.redrawAll();
  }

  /** Opens the full output of a run in a viewer. */
  openArtifact(name: string): void {
    try {
      const layer: Panel = new OutputViewer({
        ...{ name, refresh: this.refresh },
        open: () => this.options.artifacts.open(name),
        close: () => this.removePanel(layer),
      });
      this.pushPanel(layer);
    } catch (error) {
      this.addNote(error instanceof Error ? error.message : String(error), 'bad');
    }
  }

  openJobs(): void {
    const layer: Panel = new JobsPanel({
      jobs: this.options.bash.jobs,
      refresh: this.refresh,
      close: () => this.removePanel(layer),
      onOpen: ({ id }) => this.openArtifact(`artifact://${id}`),
    });
    this.pushPanel(layer);
  }

  currentCall(): { readonly id: number; readonly card: CallCard } | null {
    return this.#browsing.current;
  }

  #onKey(key: KeyPress): void {
    const layer = this.#layers.at(-1);
    if (layer !== undefined) layer.onKey(key);
    else if (!this.#questions.take(key) && !this.#controls.handle(key)) this.#type(key);
    this.#painter.refreshForKey();
  }

  #onAnswer(sequence: string): void {
    const answer = parseTerminalReply(sequence);
    if (answer?.kind === 'keyboard') this.#painter.keyboard.enableKitty();
    else if (answer?.kind === 'ground' && this.options.mayAdapt)
      this.#painter.setTheme(themeForBackground(answer.isLight ? 'light' : 'dark'));
    this.refresh();
  }

  #type(key: KeyPress): void {
    const event = this.#prompt.onKey(key);
    if (event?.kind !== 'submit') return;
    this.#browsing.reset();
    void runInputLine(event.line, this).then(() => this.#noticePlace());
  }

  #openCurrent(): void {
    const card = this.#browsing.current?.card;
    const artifact = card?.result?.run.artifact ?? null;
    if (artifact !== null) this.openArtifact(artifact);
    else if (card === undefined) this.addNote('Nothing has been run yet.');
    else
      this.addNote(
        isFinished(card)
          ? 'Its full output was not kept.'
          : 'It still runs; its output opens when it is over.',
      );
  }

  #onQuestion(kind: 'asked' | 'settled'): void {
    const { newestRunning } = this.calls;
    if (newestRunning !== null)
      this.transcript.change<CallCard>(newestRunning, { state: kind === 'asked' ? 'asking' : 'running' });
    this.refresh();
  }

  #noticePlace(): void {
    // The directories of a remote host cannot be read here.
    const { host } = this.options.environment;
    this.#branch = host === null || host.startsWith('sandbox') ? readGitBranch(this.options.cwd()) : null;
    this.refresh();
  }

  #render(size: ScreenSize): ScreenScene {
    const layer = this.#layers.at(-1);
    if (layer !== undefined) return layer.render(size);
    const { options, transcript } = this;
    const picture = renderMainView(
      {
        ...{ transcript, prompt: this.#prompt, version: options.version },
        ...{ question: this.#questions.first, focus: this.#questions.focus },
        ...{
          chosen: this.#browsing.chosen,
          scroll: this.#browsing.scroll,
          needsScroll: this.#browsing.needsScroll,
        },
        now: Date.now(),
        status: {
          ...{ host: options.environment.host, cwd: options.cwd() },
          ...{ home: options.environment.home, branch: this.#branch },
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
