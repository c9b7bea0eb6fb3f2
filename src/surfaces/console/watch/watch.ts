import {
  type Approvals,
  type Artifacts,
  type Jobs,
  type LogEntry,
  type OpenQuestion,
  openApprovals,
  openArtifacts,
  openJobs,
  readLog,
  stampOfLog,
} from '../../../index.ts';
import { renderCard } from '../cards/render-card.ts';
import type { Key } from '../keys/key.ts';
import { KeyReader } from '../keys/key-reader.ts';
import type { Layer } from '../layer.ts';
import { JobsPanel } from '../panels/jobs-panel.ts';
import { answerOf, renderQuestion } from '../panels/question.ts';
import { Viewer } from '../panels/viewer.ts';
import type { Device } from '../screen/device.ts';
import { Frame, type FrameSize, type Picture } from '../screen/frame.ts';
import { type Row, span, spread } from '../screen/row.ts';
import type { Theme } from '../screen/theme.ts';
import { Followed } from './followed.ts';

const LOOK_MS = 400;
const FRAME_MS = 33;
const MOST_ENTRIES = 60;

export interface WatchOptions {
  readonly device: Device;
  readonly theme: Theme;
  readonly stateDirectory: string;
  /** `null`: everybody's. */
  readonly session: string | null;
}

/** What agents do on this machine, as they do it: their commands, what these print, their jobs, and what they may not do without us. */
export class Watch {
  readonly #options: WatchOptions;
  readonly #frame: Frame;
  readonly #reader: KeyReader = new KeyReader({ onKey: (key) => this.#onKey(key) });
  readonly #approvals: Approvals;
  readonly #jobs: Jobs;
  readonly #artifacts: Artifacts;
  readonly #followed: Followed;
  #entries: readonly LogEntry[] = [];
  #questions: readonly OpenQuestion[] = [];
  #layer: Layer | null = null;
  #chosen: string | null = null;
  #seen = '';
  #looking: NodeJS.Timeout | undefined;
  #drawing: NodeJS.Timeout | undefined;
  #leave: () => void = () => undefined;

  constructor(options: WatchOptions) {
    this.#options = options;
    const { stateDirectory, session } = options;
    this.#frame = new Frame(options.theme);
    this.#approvals = openApprovals({ stateDirectory, session });
    this.#jobs = openJobs({ stateDirectory, session });
    this.#artifacts = openArtifacts({ stateDirectory, session });
    this.#followed = new Followed(this.#artifacts);
  }

  /** Resolves when the person has left. */
  async run(): Promise<void> {
    const { device } = this.#options;
    const left = new Promise<void>((resolve) => {
      this.#leave = resolve;
    });
    const close = device.open({
      onInput: (bytes) => this.#reader.read(bytes),
      onResize: () => this.#draw(),
    });
    const forget = this.#approvals.watch(() => {
      this.#questions = this.#approvals.list();
      this.#refresh();
    });
    void this.#look();
    await left;
    clearTimeout(this.#looking);
    clearTimeout(this.#drawing);
    forget();
    this.#reader.close();
    this.#layer?.onClose?.();
    close();
  }

  async #look(): Promise<void> {
    const { stateDirectory, session } = this.#options;
    const stamp = stampOfLog(stateDirectory);
    if (stamp !== this.#seen) this.#entries = readLog({ stateDirectory, session, limit: MOST_ENTRIES });
    const isLive = this.#entries.some(({ status, verdict }) => status === null && verdict === 'allow');
    if (isLive || stamp !== this.#seen) {
      await this.#followed.read(this.#entries);
      this.#refresh();
    }
    this.#seen = stamp;
    this.#looking = setTimeout(() => void this.#look(), LOOK_MS);
  }

  readonly #refresh = (): void => {
    this.#drawing ??= setTimeout(() => {
      this.#drawing = undefined;
      this.#draw();
    }, FRAME_MS);
  };

  #draw(): void {
    const { device } = this.#options;
    const { size } = device;
    device.write(this.#frame.draw(this.#layer?.render(size) ?? this.#render(size), size));
  }

  #render({ columns, rows }: FrameSize): Picture {
    const [question] = this.#questions;
    const below =
      question === undefined ? [] : [...renderQuestion(question, { columns, isWriting: false }), []];
    const room = Math.max(0, rows - 2 - below.length);
    const all = this.#entries.flatMap((entry) => this.#renderEntry(entry, columns));
    const end = this.#endOf(all, room);
    const shown = all.slice(Math.max(0, end - room), end).map(({ row }) => row);
    const empty: Row[] =
      all.length === 0
        ? [[span('  Nothing yet. Commands of agents on this machine appear here.', 'dim')]]
        : [];
    const blank = Array.from({ length: Math.max(0, room - shown.length - empty.length) }, (): Row => []);
    return {
      rows: [this.#head(columns), ...empty, ...shown, ...blank, ...below, foot(question)],
      cursor: null,
    };
  }

  /** The chosen one is on the screen; without one, the newest are. */
  #endOf(all: readonly { readonly id: string }[], room: number): number {
    if (this.#chosen === null) return all.length;
    const last = all.findLastIndex(({ id }) => id === this.#chosen);
    return last < 0 ? all.length : Math.max(Math.min(all.length, room), last + 1);
  }

  #renderEntry(entry: LogEntry, columns: number): { readonly id: string; readonly row: Row }[] {
    const id = idOf(entry);
    const isChosen = id === this.#chosen;
    const card = this.#followed.toCard(entry, isChosen);
    const time = new Date(entry.time).toTimeString().slice(0, 8);
    const head: Row = [
      span(` ${time}  `, 'dim'),
      span(entry.session, 'accent'),
      span(`  ${entry.cwd}`, 'dim'),
    ];
    return [head, ...renderCard(card, { columns, now: Date.now(), isChosen })].map((row) => ({ id, row }));
  }

  #head(columns: number): Row {
    const sessions = new Set(this.#entries.map(({ session }) => session)).size;
    const live = this.#entries.filter(({ status, verdict }) => status === null && verdict === 'allow').length;
    const facts = `${live} running · ${sessions} ${sessions === 1 ? 'session' : 'sessions'} `;
    return spread([span(' nacre watch', 'status')], [span(facts, 'status')], columns);
  }

  #onKey(key: Key): void {
    if (this.#layer !== null) this.#layer.onKey(key);
    else if (!this.#answer(key)) this.#command(key);
    this.#refresh();
  }

  #answer(key: Key): boolean {
    const [question] = this.#questions;
    const answer = question === undefined || key.name === 'escape' ? null : answerOf(key, question);
    if (question === undefined || answer === null) return false;
    try {
      this.#approvals.answer(question.id, answer);
    } catch {
      // Somebody else was faster.
    }
    return true;
  }

  #command({ name, text }: Key): void {
    if (text === 'q' || name === 'ctrl-c' || name === 'ctrl-d') this.#leave();
    else if (name === 'up' || text === 'k') this.#choose(-1);
    else if (name === 'down' || text === 'j') this.#choose(1);
    else if (name === 'escape' || name === 'end') this.#chosen = null;
    else if (name === 'enter') this.#open();
    else if (text === 'b' || name === 'ctrl-b') this.#openJobs();
  }

  #choose(by: 1 | -1): void {
    const ids = this.#entries.map(idOf);
    const at = this.#chosen === null ? ids.length : ids.indexOf(this.#chosen);
    this.#chosen = ids[Math.max(0, Math.min(ids.length - 1, at + by))] ?? null;
  }

  #open(): void {
    const entry = this.#entries.find((each) => idOf(each) === this.#chosen) ?? this.#entries.at(-1);
    if (entry?.runId) this.#show(entry.runId);
  }

  #show(id: string): void {
    const name = `artifact://${id}`;
    const before = this.#layer;
    try {
      this.#layer = new Viewer({
        name,
        open: () => this.#artifacts.open(name),
        refresh: this.#refresh,
        close: () => this.#replace(before),
      });
      this.#frame.forget();
    } catch {
      // It was pruned meanwhile.
    }
  }

  #openJobs(): void {
    this.#layer = new JobsPanel({
      jobs: this.#jobs,
      refresh: this.#refresh,
      close: () => this.#replace(null),
      onOpen: ({ id }) => this.#show(id),
    });
    this.#frame.forget();
  }

  #replace(layer: Layer | null): void {
    this.#layer?.onClose?.();
    this.#layer = layer;
    this.#frame.forget();
  }
}

function idOf({ runId, time, command }: LogEntry): string {
  return runId ?? `${time} ${command}`;
}

function foot(question: OpenQuestion | undefined): Row {
  const keys = question === undefined ? '' : 'y a n answer   ';
  return [span(` ${keys}↑↓ choose   enter full output   b jobs   q leave`, 'status')];
}
