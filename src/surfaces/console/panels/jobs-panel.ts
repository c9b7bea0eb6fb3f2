import { columnsOf, type JobInfo, type JobLook, type Jobs, type JobWatch } from '../../../index.ts';
import { renderDuration } from '../cards/amounts.ts';
import { linesOf } from '../cards/render-card.ts';
import type { Key } from '../keys/key.ts';
import type { Layer, LayerPlace } from '../layer.ts';
import type { FrameSize, Picture } from '../screen/frame.ts';
import { type Row, span, type Tone } from '../screen/row.ts';
import { clip } from '../screen/width.ts';
import { type Choice, keyRow, moveChoice, stepOf, titleRow } from './list.ts';

/** How often what they use is measured. */
const LOOK_MS = 1_000;
const MOST_ROWS = 200;

export interface JobsPanelOptions extends LayerPlace {
  readonly jobs: Jobs;
  readonly onOpen: (job: JobInfo) => void;
}

/** The jobs, as they are doing. */
export class JobsPanel implements Layer {
  readonly #options: JobsPanelOptions;
  readonly #timer: NodeJS.Timeout;
  #watch: JobWatch | null = null;
  #all: readonly JobInfo[] = [];
  #looks: ReadonlyMap<string, JobLook> = new Map();
  #choice: Choice = { at: 0, first: 0 };
  #room = 10;
  #note = '';

  constructor(options: JobsPanelOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    void options.jobs.watch().then((watch) => {
      this.#watch = watch;
      this.#look();
    });
  }

  render({ columns, rows }: FrameSize): Picture {
    this.#room = Math.max(1, rows - 3);
    const shown = this.#all.slice(this.#choice.first, this.#choice.first + this.#room);
    const running = this.#all.filter(({ state }) => state === 'running').length;
    const body = shown.map((job, at) =>
      this.#row(job, { columns, isChosen: at + this.#choice.first === this.#choice.at }),
    );
    const empty: Row[] =
      body.length === 0
        ? [[span('   No jobs. A call with "async": true, or one that takes long, becomes one.', 'dim')]]
        : [];
    const filled = [...body, ...empty];
    return {
      rows: [
        titleRow(
          'Jobs',
          `${running} running, ${this.#all.length - running} ended${this.#note === '' ? '' : `   ${this.#note}`}`,
        ),
        [],
        ...filled,
        ...Array.from({ length: this.#room - filled.length }, (): Row => []),
        keyRow('↑↓', 'choose', 'enter', 'output', 's', 'stop', 'k', 'kill', 'q', 'back'),
      ],
      cursor: null,
    };
  }

  onKey({ name, text }: Key): void {
    const job = this.#all[this.#choice.at];
    const step = stepOf(name, this.#room);
    if (name === 'escape' || text === 'q' || name === 'ctrl-c') this.#options.close();
    else if (step !== 0)
      this.#choice = moveChoice(this.#choice, step, { count: this.#all.length, room: this.#room });
    else if (job !== undefined && name === 'enter') this.#options.onOpen(job);
    else if (job !== undefined && (text === 's' || text === 'k')) void this.#stop(job, text === 'k');
    this.#options.refresh();
  }

  onClose(): void {
    clearInterval(this.#timer);
  }

  async #stop(job: JobInfo, isAtOnce: boolean): Promise<void> {
    this.#note = `ending ${job.name ?? job.id} …`;
    const options = isAtOnce ? { signal: 'SIGKILL' as const } : { escalate: true };
    await this.#options.jobs.kill(job.id, options).catch((error: unknown) => {
      this.#note = error instanceof Error ? error.message : String(error);
    });
    this.#note = '';
    this.#look();
  }

  #look(): void {
    this.#all = this.#options.jobs.list().slice(0, MOST_ROWS);
    const ids = this.#all.filter(({ state }) => state === 'running').map(({ id }) => id);
    this.#looks = this.#watch?.look(ids) ?? new Map();
    this.#choice = moveChoice(this.#choice, 0, { count: this.#all.length, room: this.#room });
    this.#options.refresh();
  }

  #row(job: JobInfo, { columns, isChosen }: { columns: number; isChosen: boolean }): Row {
    const look = this.#looks.get(job.id);
    const { word, tone } = stateOf(job, look);
    const cells: readonly (readonly [string, number, Tone])[] = [
      [job.name ?? job.label, Math.max(12, Math.min(36, Math.floor(columns * 0.32))), 'strong'],
      [word, 14, tone],
      [renderDuration((job.endedAt ?? Date.now()) - job.startedAt), 11, 'dim'],
      [look?.cpu == null ? '' : `${Math.round(look.cpu * 100)} %`, 6, 'plain'],
      [look === undefined ? '' : `${Math.round(look.memoryBytes / 1024 ** 2)} MB`, 8, 'plain'],
      [look?.ports.join(' ') ?? '', 6, 'accent'],
    ];
    const lead = span(isChosen ? ' ▌ ' : '   ', 'accent');
    const fixed = cells.map(([text, width, cellTone]) => span(padTo(text, width), cellTone));
    return [lead, ...fixed, span(linesOf(look?.lastLine ?? '')[0] ?? '', 'dim')];
  }
}

function stateOf(job: JobInfo, look: JobLook | undefined): { word: string; tone: Tone } {
  if (look?.waitingForInput) return { word: 'asks', tone: 'warn' };
  if (job.state === 'running') return { word: 'running', tone: 'accent' };
  if (job.state === 'completed') return { word: 'completed', tone: 'good' };
  return { word: `failed ${job.signal ?? job.exitCode ?? job.status}`, tone: 'bad' };
}

function padTo(text: string, width: number): string {
  const shown = clip(linesOf(text)[0] ?? '', width - 1);
  return shown + ' '.repeat(Math.max(0, width - columnsOf(shown)));
}
