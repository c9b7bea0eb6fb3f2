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
} from '../../../index.ts';
import type { Key } from '../keys/key.ts';
import { KeyReader } from '../keys/key-reader.ts';
import type { Layer } from '../layer.ts';
import { Questions } from '../main/questions.ts';
import { JobsPanel } from '../panels/jobs-panel.ts';
import { Viewer } from '../panels/viewer.ts';
import { readAnswer } from '../screen/answer.ts';
import type { Device } from '../screen/device.ts';
import { Painter } from '../screen/painter.ts';
import { type Theme, themeFor } from '../screen/theme.ts';
import { Followed } from './followed.ts';
import { idOf, renderWatch } from './render-watch.ts';

const LOOK_MS = 400;
const MOST_ENTRIES = 60;

export interface WatchOptions {
  readonly device: Device;
  readonly theme: Theme;
  /** Whether the theme follows what the terminal says of its ground. */
  readonly mayAdapt: boolean;
  readonly stateDirectory: string;
  /** `null`: everybody's. */
  readonly session: string | null;
}

/** What agents do on this machine, as they do it: their commands, what these print, their jobs, and what they may not do without us. */
export class Watch {
  readonly #options: WatchOptions;
  readonly #painter: Painter;
  readonly #reader: KeyReader;
  readonly #approvals: Approvals;
  readonly #questions: Questions;
  readonly #jobs: Jobs;
  readonly #artifacts: Artifacts;
  readonly #followed: Followed;
  #entries: readonly LogEntry[] = [];
  #layers: Layer[] = [];
  #chosen: string | null = null;
  #seen: string | null = null;
  #looking: NodeJS.Timeout | undefined;
  #leave: () => void = () => undefined;

  constructor(options: WatchOptions) {
    this.#options = options;
    const { device, theme, stateDirectory, session } = options;
    this.#painter = new Painter({
      ...{ device, theme },
      render: (size) =>
        this.#layers.at(-1)?.render(size) ??
        renderWatch(
          {
            ...{ entries: this.#entries, followed: this.#followed, chosen: this.#chosen },
            ...{ question: this.#questions.first, focus: this.#questions.focus },
            questions: this.#questions.count,
          },
          size,
        ),
    });
    this.#reader = new KeyReader({
      onKey: (key) => this.#onKey(key),
      onAnswer: (answer) => this.#onAnswer(answer),
    });
    this.#approvals = openApprovals({ stateDirectory, session });
    this.#questions = new Questions(this.#approvals);
    this.#jobs = openJobs({ stateDirectory, session });
    this.#artifacts = openArtifacts({ stateDirectory, session });
    this.#followed = new Followed({ artifacts: this.#artifacts, jobs: this.#jobs });
  }

  /** Resolves when the person has left. */
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

  /** Leaves, as the person does with q. */
  quit(): void {
    this.#leave();
  }

  async #look(): Promise<void> {
    const { stateDirectory, session } = this.#options;
    const stamp = stampOfLog(stateDirectory);
    const isNew = stamp !== this.#seen;
    this.#seen = stamp;
    if (isNew) this.#entries = readLog({ stateDirectory, session, limit: MOST_ENTRIES });
    if (isNew || this.#followed.isLive(this.#entries)) {
      await this.#followed.read(this.#entries);
      this.#painter.refresh();
    }
    this.#looking = setTimeout(() => void this.#look(), LOOK_MS);
  }

  #onAnswer(sequence: string): void {
    const answer = readAnswer(sequence);
    if (answer?.kind === 'ground' && this.#options.mayAdapt)
      this.#painter.wear(themeFor(answer.isLight ? 'light' : 'dark'));
  }

  #onKey(key: Key): void {
    const layer = this.#layers.at(-1);
    if (layer !== undefined) layer.onKey(key);
    else if (!this.#questions.take(key)) this.#command(key);
    this.#painter.refreshForKey();
  }

  #command({ name, text }: Key): void {
    if (text === 'q' || name === 'ctrl-c' || name === 'ctrl-d') this.#leave();
    else if (name === 'up' || text === 'k') this.#choose(-1);
    else if (name === 'down' || text === 'j') this.#choose(1);
    else if (name === 'escape' || name === 'end') this.#chosen = null;
    else if (name === 'ctrl-l') this.#painter.forget();
    else if (name === 'enter') this.#open();
    else if (text === 'b' || name === 'ctrl-b') this.#openJobs();
  }

  #choose(by: 1 | -1): void {
    const ids = this.#entries.map(idOf);
    const at = this.#chosen === null ? ids.length : ids.indexOf(this.#chosen);
    // Past the newest there is none to choose: what is new comes to the screen again.
    this.#chosen = ids[Math.max(0, at + by)] ?? null;
  }

  #open(): void {
    const entry = this.#entries.find((each) => idOf(each) === this.#chosen) ?? this.#entries.at(-1);
    if (entry?.runId) this.#show(entry.runId);
  }

  #show(id: string): void {
    const name = `artifact://${id}`;
    try {
      const layer: Layer = new Viewer({
        ...{ name, refresh: this.#painter.refresh },
        open: () => this.#artifacts.open(name),
        close: () => this.#remove(layer),
      });
      this.#push(layer);
    } catch {
      // It was pruned meanwhile.
    }
  }

  #openJobs(): void {
    const layer: Layer = new JobsPanel({
      ...{ jobs: this.#jobs, refresh: this.#painter.refresh },
      close: () => this.#remove(layer),
      onOpen: ({ id }) => this.#show(id),
    });
    this.#push(layer);
  }

  #push(layer: Layer): void {
    this.#layers.push(layer);
    this.#painter.forget();
  }

  #remove(layer: Layer): void {
    this.#layers = this.#layers.filter((each) => each !== layer);
    layer.onClose?.();
    this.#painter.forget();
  }
}
