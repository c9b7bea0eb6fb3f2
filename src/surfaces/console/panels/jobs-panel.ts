import { columnsOf, type JobInfo, type JobLook, type Jobs, type JobWatch } from '../../../index.ts';
import { clip } from '../../table/clip.ts';
import {
  COLUMN_GAP,
  cellOf,
  type JobColumn,
  type JobKind,
  kindOf,
  type PlacedColumn,
  placeColumns,
  runningFirst,
} from '../../table/job-columns.ts';
import { toJobRow } from '../../table/job-row.ts';
import { linesOf } from '../cards/render-card.ts';
import type { Key } from '../keys/key.ts';
import type { Layer, LayerPlace } from '../layer.ts';
import type { FrameSize, Picture } from '../screen/frame.ts';
import { type Row, type Span, span, type Tone } from '../screen/row.ts';
import { type Choice, keyRow, moveChoice, stepOf, titleRow } from './list.ts';

/** How often what they use is measured. */
const LOOK_MS = 1_000;
const MOST_ROWS = 200;

/** From this height on there is room to say more of the chosen one. */
const TALL = 14;

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
    const detail = rows >= TALL ? this.#detail(columns) : [];
    this.#room = Math.max(1, rows - 3 - detail.length);
    const running = this.#all.filter(({ state }) => state === 'running').length;
    const { titles, body } = this.#rows(columns);
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
        body.length === 0 ? [] : titles,
        ...filled,
        ...Array.from({ length: this.#room - filled.length }, (): Row => []),
        ...detail,
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
    const chosen = this.#all[this.#choice.at]?.id;
    this.#all = runningFirst(this.#options.jobs.list()).slice(0, MOST_ROWS);
    // It is a job that was chosen, not a place in a list that changes.
    const at = this.#all.findIndex(({ id }) => id === chosen);
    const by = at === -1 ? 0 : at - this.#choice.at;
    this.#choice = moveChoice(this.#choice, by, { count: this.#all.length, room: this.#room });
    const { first } = this.#choice;
    const seen = this.#all.filter(
      (job, index) => job.state === 'running' || (index >= first && index < first + this.#room),
    );
    this.#looks = this.#watch?.look(seen.map(({ id }) => id)) ?? new Map();
    this.#options.refresh();
  }

  /** All of the chosen one's command, and what it printed last. */
  #detail(columns: number): Row[] {
    const job = this.#all[this.#choice.at];
    if (job === undefined) return [];
    const room = Math.max(0, columns - 2 * LEAD);
    const command = clip(linesOf(job.command.replace(/\s*\n\s*/g, ' ⏎ '))[0] ?? '', room);
    const last = clip(linesOf(this.#looks.get(job.id)?.lastLine ?? '')[0] ?? '', room);
    const lead = span(' '.repeat(LEAD));
    return [
      [lead, span('─'.repeat(room), 'dim')],
      [lead, span(command, 'strong')],
      [lead, span(last, 'output')],
    ];
  }

  #rows(columns: number): { readonly titles: Row; readonly body: readonly Row[] } {
    const all = this.#all.map((job) => toJobRow(job, this.#looks.get(job.id)));
    const layout = placeColumns(all, columns - LEAD);
    const { at, first } = this.#choice;
    return {
      titles: [span(' '.repeat(LEAD)), ...layout.map((place) => cell(place, place.column.title, 'dim'))],
      body: all.slice(first, first + this.#room).map((row, index) => [
        span(index + first === at ? ' ▌ ' : ' '.repeat(LEAD), 'accent'),
        ...layout.map((place) => {
          const { key } = place.column;
          return cell(place, cellOf(row, key), key === 'state' ? STATES[kindOf(row)] : TONES[key]);
        }),
      ]),
    };
  }
}

/** Before the first column. */
const LEAD = 3;

const TONES: Readonly<Record<Exclude<JobColumn['key'], 'state'>, Tone>> = {
  name: 'strong',
  age: 'dim',
  cpu: 'plain',
  memory: 'plain',
  ports: 'accent',
  lastLine: 'dim',
};

const STATES: Readonly<Record<JobKind, Tone>> = {
  running: 'accent',
  asks: 'warn',
  completed: 'good',
  failed: 'bad',
  other: 'plain',
};

function cell({ column: { key, side }, width }: PlacedColumn, text: string, tone: Tone): Span {
  const shown = clip(linesOf(text)[0] ?? '', width);
  if (key === 'lastLine') return span(shown, tone);
  const space = ' '.repeat(Math.max(0, width - columnsOf(shown)));
  return span((side === 'left' ? shown + space : space + shown) + ' '.repeat(COLUMN_GAP), tone);
}
