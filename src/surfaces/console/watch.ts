import {
  type Artifacts,
  type JobInfo,
  type Jobs,
  type LogEntry,
  openApprovals,
  openArtifacts,
  openJobs,
  readLog,
} from '../../index.ts';
import { stampOfLog } from '../../tool/journal/journal.ts';
import type { StopSignals } from '../serving/stop-signals.ts';
import { whenAborted } from '../serving/when-aborted.ts';
import type { ScreenSize } from './screen/frame-renderer.ts';
import type { KeyPress } from './screen/key-reader.ts';
import type { ScreenScene } from './screen/screen-painter.ts';
import { processTerminal, TerminalApp, type TerminalAppOptions } from './terminal-app.ts';
import { PendingQuestions } from './views/approval-questions.ts';
import { JobsPanel } from './views/jobs-panel.ts';
import { LoggedCalls, renderWatch, toEntryKey } from './views/watch-view.ts';

const POLL_MS = 400;
const MAX_ENTRIES = 60;

export interface WatchAppOptions extends TerminalAppOptions {
  readonly stateDirectory: string;
  /** `null`: all sessions. */
  readonly session: string | null;
}

/** Shows the commands, output, jobs and pending approvals of all agents on this machine. */
export class WatchApp {
  readonly #options: WatchAppOptions;
  readonly #terminal: TerminalApp;
  readonly #questions: PendingQuestions;
  readonly #jobs: Jobs;
  readonly #artifacts: Artifacts;
  readonly #calls: LoggedCalls;
  #entries: readonly LogEntry[] = [];
  #chosen: string | null = null;
  #seenStamp: string | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: WatchAppOptions) {
    this.#options = options;
    const { stateDirectory, session } = options;
    this.#terminal = new TerminalApp(options);
    this.#questions = new PendingQuestions(openApprovals({ stateDirectory, session }));
    this.#jobs = openJobs({ stateDirectory, session });
    this.#artifacts = openArtifacts({ stateDirectory, session });
    this.#calls = new LoggedCalls({ artifacts: this.#artifacts, jobs: this.#jobs });
  }

  /** Resolves when the user has quit. */
  async run(): Promise<void> {
    const stopWatching = this.#questions.watch(() => this.#terminal.refresh());
    void this.#poll();
    await this.#terminal.run({
      render: (size) => this.#render(size),
      onKey: (key) => {
        if (!this.#questions.take(key)) this.#command(key);
      },
    });
    clearTimeout(this.#timer);
    stopWatching();
  }

  /** Quits, as the key q does. */
  quit(): void {
    this.#terminal.quit();
  }

  #render(size: ScreenSize): ScreenScene {
    const { first, focus, count } = this.#questions;
    const { entries, calls, chosen } = { entries: this.#entries, calls: this.#calls, chosen: this.#chosen };
    return renderWatch({ entries, calls, chosen, question: first, focus, questions: count }, size);
  }

  async #poll(): Promise<void> {
    const { stateDirectory, session } = this.#options;
    const stamp = stampOfLog(stateDirectory);
    const isNew = stamp !== this.#seenStamp;
    this.#seenStamp = stamp;
    if (isNew) this.#entries = readLog({ stateDirectory, session, limit: MAX_ENTRIES });
    if (isNew || this.#calls.hasRunning(this.#entries)) {
      await this.#calls.readOutputs(this.#entries);
      this.#terminal.refresh();
    }
    this.#timer = setTimeout(() => void this.#poll(), POLL_MS);
  }

  #command({ name, text }: KeyPress): void {
    if (text === 'q' || name === 'ctrl-c' || name === 'ctrl-d') this.quit();
    else if (name === 'up' || text === 'k') this.#choose(-1);
    else if (name === 'down' || text === 'j') this.#choose(1);
    else if (name === 'escape' || name === 'end') this.#chosen = null;
    else if (name === 'ctrl-l') this.#terminal.redraw();
    else if (name === 'enter') this.#openChosen();
    else if (text === 'b' || name === 'ctrl-b') this.#openJobs();
  }

  #choose(by: 1 | -1): void {
    const ids = this.#entries.map(toEntryKey);
    const at = this.#chosen === null ? ids.length : ids.indexOf(this.#chosen);
    // Moving beyond the newest command clears the selection, and new commands are shown again.
    this.#chosen = ids[Math.max(0, at + by)] ?? null;
  }

  #openChosen(): void {
    const entry = this.#entries.find((each) => toEntryKey(each) === this.#chosen) ?? this.#entries.at(-1);
    if (!entry?.runId) return;
    try {
      this.#terminal.openOutput(this.#artifacts, entry.runId);
    } catch {
      // The artifact was deleted; the list still shows the command.
    }
  }

  #openJobs(): void {
    const jobs = this.#jobs;
    const onOpen = ({ id, state }: JobInfo): void =>
      this.#terminal.openOutput(this.#artifacts, id, state === 'running');
    this.#terminal.open((host) => new JobsPanel({ ...host, jobs, onOpen }));
  }
}

export interface OpenWatchOptions {
  readonly stateDirectory: string;
  readonly session: string | null;
  readonly stop: StopSignals;
}

/** Opens the watch view on this process's terminal. Resolves when the user quits or a stop signal arrives. */
export async function openWatch(options: OpenWatchOptions): Promise<void> {
  const watch = new WatchApp({ ...options, ...processTerminal() });
  const left = watch.run();
  whenAborted(options.stop.signal, () => watch.quit());
  await left;
}

export interface OpenJobsOptions extends OpenWatchOptions {
  readonly onlyRunning: boolean;
}

/** Opens the job list on this process's terminal. Resolves when the user quits or a stop signal arrives. */
export async function openJobList(options: OpenJobsOptions): Promise<void> {
  const { stateDirectory, session, onlyRunning, stop } = options;
  const artifacts = openArtifacts({ stateDirectory, session });
  const terminal = new TerminalApp(processTerminal());
  const panel = new JobsPanel({
    jobs: openJobs({ stateDirectory, session }),
    onlyRunning,
    refresh: terminal.refresh,
    close: () => terminal.quit(),
    onOpen: ({ id, state }) => terminal.openOutput(artifacts, id, state === 'running'),
  });
  whenAborted(stop.signal, () => terminal.quit());
  await terminal.run(panel);
}
