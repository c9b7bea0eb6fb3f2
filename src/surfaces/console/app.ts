import type { JobInfo } from '../../index.ts';
import { renderDuration } from '../rendering/amounts.ts';
import { CallRunner } from './call-runner.ts';
import type { ConsoleContext, ConsoleOptions } from './console-context.ts';
import { InputHistory, Prompt } from './prompt/prompt.ts';
import { SLASH_COMMANDS } from './prompt/slash-commands.ts';
import { runInputLine } from './run-input-line.ts';
import type { ScreenSize } from './screen/frame-renderer.ts';
import type { KeyPress } from './screen/key-reader.ts';
import type { ScreenScene } from './screen/screen-painter.ts';
import { TerminalApp } from './terminal-app.ts';
import { PendingQuestions } from './views/approval-questions.ts';
import { type CallCard, isFinished } from './views/call-card.ts';
import { JobsPanel } from './views/jobs-panel.ts';
import { readGitBranch, renderMainView } from './views/main-view.ts';
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
      'ctrl-z': () => options.addNote('Nothing to suspend. esc stops the running command, ctrl-d quits.'),
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
    else addNote('No command is running. ctrl-d quits.');
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
  readonly terminal: TerminalApp;
  readonly #refresh: () => void;
  readonly #prompt: Prompt;
  readonly #cursor: TranscriptCursor;
  readonly #keys: KeyBindings;
  readonly #questions: PendingQuestions;
  #branch: string | null = null;

  constructor(options: ConsoleOptions) {
    this.options = options;
    const { bash, person, historyFile, device } = options;
    this.terminal = new TerminalApp(options);
    this.#refresh = this.terminal.refresh;
    this.calls = new CallRunner({ bash, person, transcript: this.transcript, refresh: this.#refresh });
    this.#questions = new PendingQuestions(bash.approvals);
    this.#cursor = new TranscriptCursor(this.transcript);
    this.#prompt = new Prompt({
      history: new InputHistory(historyFile),
      completionSources: () => ({
        ...options.environment,
        cwd: options.cwd(),
        orders: SLASH_COMMANDS.map(({ name }) => name),
      }),
    });
    this.#keys = new KeyBindings({
      ...{ calls: this.calls, prompt: this.#prompt, cursor: this.#cursor },
      page: () => Math.max(1, device.size.rows - 4),
      addNote: (text) => this.addNote(text),
      openCurrent: () => this.#openCurrent(),
      openJobs: () => this.openJobs(),
      redraw: () => this.terminal.redraw(),
      quit: () => this.quit(),
    });
  }

  /** Resolves when the user has quit. */
  async run(): Promise<void> {
    const stopWatching = this.#questions.watch((kind) => this.#onQuestion(kind));
    this.#updateBranch();
    await this.terminal.run({
      render: (size) => this.#render(size),
      onKey: (key) => this.#onKey(key),
    });
    stopWatching();
  }

  addNote(text: string, tone: 'dim' | 'warn' | 'bad' | 'accent' = 'dim'): void {
    this.transcript.add({ kind: 'note', text, tone });
    this.#refresh();
  }

  /** Adds a note to the transcript and updates the call that started the job. */
  onJobEnd(job: JobInfo): void {
    void this.calls.onJobEnd(job);
    this.addNote(...toJobEndNote(job));
  }

  /** Quits: running calls are stopped, jobs keep running. */
  quit(): void {
    this.calls.stopAll();
    this.terminal.quit();
  }

  /** Opens the full output of a run in a viewer. */
  openArtifact(name: string): void {
    try {
      this.terminal.openOutput(this.options.artifacts, name);
    } catch (error) {
      this.addNote(error instanceof Error ? error.message : String(error), 'bad');
    }
  }

  openJobs(): void {
    const { bash, artifacts } = this.options;
    const { jobs } = bash;
    const onOpen = ({ id, state }: JobInfo): void =>
      this.terminal.openOutput(artifacts, id, state === 'running');
    this.terminal.open((host) => new JobsPanel({ ...host, jobs, onOpen }));
  }

  currentCall(): { readonly id: number; readonly card: CallCard } | null {
    return this.#cursor.current;
  }

  #onKey(key: KeyPress): void {
    if (!this.#questions.take(key) && !this.#keys.handle(key)) this.#type(key);
  }

  #type(key: KeyPress): void {
    const event = this.#prompt.onKey(key);
    if (event?.kind !== 'submit') return;
    this.#cursor.reset();
    void runInputLine(event.line, this).then(() => this.#updateBranch());
  }

  #openCurrent(): void {
    const card = this.#cursor.current?.card;
    const artifact = card?.result?.run.artifact ?? null;
    if (artifact !== null) this.openArtifact(artifact);
    else if (card === undefined) this.addNote('No command has been run yet.');
    else
      this.addNote(
        isFinished(card)
          ? 'The full output was not stored.'
          : 'The command is still running. Its output can be opened when it has ended.',
      );
  }

  #onQuestion(kind: 'asked' | 'settled'): void {
    const { newestRunning } = this.calls;
    if (newestRunning !== null)
      this.transcript.change<CallCard>(newestRunning, { state: kind === 'asked' ? 'asking' : 'running' });
    this.#refresh();
  }

  #updateBranch(): void {
    // The directories of a remote host cannot be read here.
    const { host } = this.options.environment;
    this.#branch = host === null || host.startsWith('sandbox') ? readGitBranch(this.options.cwd()) : null;
    this.#refresh();
  }

  #render(size: ScreenSize): ScreenScene {
    const { options, transcript } = this;
    const scene = renderMainView(
      {
        ...{ transcript, prompt: this.#prompt, version: options.version },
        ...{ question: this.#questions.first, focus: this.#questions.focus },
        ...{
          chosen: this.#cursor.chosen,
          scroll: this.#cursor.scroll,
          needsScroll: this.#cursor.needsScroll,
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
    this.#cursor.scrollTo(scene.scroll);
    return { ...scene, spins: this.calls.running > 0 };
  }
}
