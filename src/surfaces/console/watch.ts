import {
  type Approvals,
  type Artifacts,
  type Jobs,
  type LogEntry,
  openApprovals,
  openArtifacts,
  openJobs,
  readLog,
  stampOfLog,
} from '../../index.ts';
import type { StopSignals } from '../serving/stop-signals.ts';
import { whenAborted } from '../serving/when-aborted.ts';
import { type KeyPress, KeyReader } from './screen/key-reader.ts';
import { ScreenPainter } from './screen/screen-painter.ts';
import { canAdaptTheme, chooseTheme, type Theme, themeForBackground } from './screen/styled-row.ts';
import { createTerminalDevice, parseTerminalReply, type TerminalDevice } from './screen/terminal-device.ts';
import { PendingQuestions } from './views/approval-questions.ts';
import { JobsPanel } from './views/jobs-panel.ts';
import { OutputViewer } from './views/output-viewer.ts';
import type { Panel } from './views/panel.ts';
import { LoggedCalls, renderWatch, toEntryKey } from './views/watch-view.ts';

const POLL_MS = 400;
const MAX_ENTRIES = 60;

export interface WatchAppOptions {
  readonly device: TerminalDevice;
  readonly theme: Theme;
  /** Whether the theme follows the background colour that the terminal reports. */
  readonly mayAdapt: boolean;
  readonly stateDirectory: string;
  /** `null`: all sessions. */
  readonly session: string | null;
}

/** Shows the commands, output, jobs and pending approvals of all agents on this machine. */
export class WatchApp {
  readonly #options: WatchAppOptions;
  readonly #painter: ScreenPainter;
  readonly #reader: KeyReader;
  readonly #approvals: Approvals;
  readonly #questions: PendingQuestions;
  readonly #jobs: Jobs;
  readonly #artifacts: Artifacts;
  readonly #followed: LoggedCalls;
  #entries: readonly LogEntry[] = [];
  #layers: Panel[] = [];
  #chosen: string | null = null;
  #seen: string | null = null;
  #looking: NodeJS.Timeout | undefined;
  #leave: () => void = () => undefined;

  constructor(options: WatchAppOptions) {
    this.#options = options;
    const { device, theme, stateDirectory, session } = options;
    this.#painter = new ScreenPainter({
      ...{ device, theme },
      render: (size) =>
        this.#layers.at(-1)?.render(size) ??
        renderWatch(
          {
            ...{ entries: this.#entries, calls: this.#followed, chosen: this.#chosen },
            ...{ question: this.#questions.first, focus: this.#questions.focus },
            questions: this.#questions.count,
          },
          size,
        ),
    });
    this.#reader = new KeyReader({
      onKey: (key) => this.#onKey(key),
      onReply: (answer) => this.#onAnswer(answer),
    });
    this.#approvals = openApprovals({ stateDirectory, session });
    this.#questions = new PendingQuestions(this.#approvals);
    this.#jobs = openJobs({ stateDirectory, session });
    this.#artifacts = openArtifacts({ stateDirectory, session });
    this.#followed = new LoggedCalls({ artifacts: this.#artifacts, jobs: this.#jobs });
  }

  /** Resolves when the user has quit. */
  async run(): Promise<void> {
    const { device } = this.#options;
    const left = new Promise<void>((resolve) => {
      this.#leave = resolve;
    });
    const close = device.open({
      onInput: (bytes) => this.#reader.read(bytes),
      onResize: () => this.#painter.draw(),
    });
    const forget = this.#questions.watch(() => this.#painter.refresh());
    void this.#look();
    await left;
    clearTimeout(this.#looking);
    forget();
    this.#reader.close();
    for (const layer of this.#layers) layer.onClose?.();
    this.#painter.close();
    close();
  }

  /** Quits, as the key q does. */
  quit(): void {
    this.#leave();
  }

  async #look(): Promise<void> {
    const { stateDirectory, session } = this.#options;
    const stamp = stampOfLog(stateDirectory);
    const isNew = stamp !== this.#seen;
    this.#seen = stamp;
    if (isNew) this.#entries = readLog({ stateDirectory, session, limit: MAX_ENTRIES });
    if (isNew || this.#followed.hasRunning(this.#entries)) {
      await this.#followed.readOutputs(this.#entries);
      this.#painter.refresh();
    }
    this.#looking = setTimeout(() => void this.#look(), POLL_MS);
  }

  #onAnswer(sequence: string): void {
    const answer = parseTerminalReply(sequence);
    if (answer?.kind === 'ground' && this.#options.mayAdapt)
      this.#painter.setTheme(themeForBackground(answer.isLight ? 'light' : 'dark'));
  }

  #onKey(key: KeyPress): void {
    const layer = this.#layers.at(-1);
    if (layer !== undefined) layer.onKey(key);
    else if (!this.#questions.take(key)) this.#command(key);
    this.#painter.refreshForKey();
  }

  #command({ name, text }: KeyPress): void {
    if (text === 'q' || name === 'ctrl-c' || name === 'ctrl-d') this.#leave();
    else if (name === 'up' || text === 'k') this.#choose(-1);
    else if (name === 'down' || text === 'j') this.#choose(1);
    else if (name === 'escape' || name === 'end') this.#chosen = null;
    else if (name === 'ctrl-l') this.#painter.redrawAll();
    else if (name === 'enter') this.#open();
    else if (text === 'b' || name === 'ctrl-b') this.#openJobs();
  }

  #choose(by: 1 | -1): void {
    const ids = this.#entries.map(toEntryKey);
    const at = this.#chosen === null ? ids.length : ids.indexOf(this.#chosen);
    // Moving beyond the newest command clears the selection, and new commands are shown again.
    this.#chosen = ids[Math.max(0, at + by)] ?? null;
  }

  #open(): void {
    const entry = this.#entries.find((each) => toEntryKey(each) === this.#chosen) ?? this.#entries.at(-1);
    if (entry?.runId) this.#show(entry.runId);
  }

  #show(id: string): void {
    const name = `artifact://${id}`;
    try {
      const layer: Panel = new OutputViewer({
        ...{ name, refresh: this.#painter.refresh },
        open: () => this.#artifacts.open(name),
        close: () => this.#remove(layer),
      });
      this.#push(layer);
    } catch {
      // The artifact was deleted.
    }
  }

  #openJobs(): void {
    const layer: Panel = new JobsPanel({
      ...{ jobs: this.#jobs, refresh: this.#painter.refresh },
      close: () => this.#remove(layer),
      onOpen: ({ id }) => this.#show(id),
    });
    this.#push(layer);
  }

  #push(layer: Panel): void {
    this.#layers.push(layer);
    this.#painter.redrawAll();
  }

  #remove(layer: Panel): void {
    this.#layers = this.#layers.filter((each) => each !== layer);
    layer.onClose?.();
    this.#painter.redrawAll();
  }
}

export interface OpenWatchOptions {
  readonly stateDirectory: string;
  readonly session: string | null;
  readonly stop: StopSignals;
}

/** Opens the watch view on this process's terminal. Resolves when the user quits or a stop signal arrives. */
export async function openWatch(options: OpenWatchOptions): Promise<void> {
  const device = createTerminalDevice(process.stdin, process.stdout);
  const { env } = process;
  const watch = new WatchApp({ ...options, device, theme: chooseTheme(env), mayAdapt: canAdaptTheme(env) });
  const left = watch.run();
  whenAborted(options.stop.signal, () => watch.quit());
  await left;
}
