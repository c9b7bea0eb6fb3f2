import { columnsOf, type JobInfo, type JobLook, type Jobs, type JobWatch } from '../../../index.ts';
import {
  COLUMN_GAP,
  type JobColumn,
  type JobStateKind,
  layoutJobColumns,
  renderJobCell,
  type SizedColumn,
  sortRunningFirst,
  toJobRow,
  toJobStateKind,
} from '../../rendering/job-table.ts';
import { clipText } from '../../rendering/text-width.ts';
import type { ScreenContent, ScreenSize } from '../screen/frame-renderer.ts';
import type { KeyPress } from '../screen/key-reader.ts';
import { type StyledRow, type StyledSpan, span, type Tone } from '../screen/styled-row.ts';
import { toPlainLines } from './call-card.ts';
import type { Panel, PanelHost } from './panel.ts';
import {
  type ListSelection,
  moveListSelection,
  renderKeyHints,
  renderTitleRow,
  toListStep,
} from './panel.ts';

/** How often what they use is measured. */
const POLL_MS = 1_000;
const MAX_ROWS = 200;

/** From this height on there is room to say more of the chosen one. */
const DETAIL_MIN_ROWS = 14;

export interface JobsPanelOptions extends PanelHost {
  readonly jobs: Jobs;
  readonly onOpen: (job: JobInfo) => void;
}

/** The jobs, as they are doing. */
export class JobsPanel implements Panel {
  readonly #options: JobsPanelOptions;
  readonly #timer: NodeJS.Timeout;
  #watch: JobWatch | null = null;
  #all: readonly JobInfo[] = [];
  #looks: ReadonlyMap<string, JobLook> = new Map();
  #choice: ListSelection = { at: 0, first: 0 };
  #room = 10;
  #note = '';

  constructor(options: JobsPanelOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#look(), POLL_MS);
    void options.jobs.watch().then((watch) => {
      this.#watch = watch;
      this.#look();
    });
  }

  render({ columns, rows }: ScreenSize): ScreenContent {
    const detail = rows >= DETAIL_MIN_ROWS ? this.#detail(columns) : [];
    this.#room = Math.max(1, rows - 3 - detail.length);
    const running = this.#all.filter(({ state }) => state === 'running').length;
    const { titles, body } = this.#rows(columns);
    const empty: StyledRow[] =
      body.length === 0
        ? [[span('   No jobs. A call with "async": true, or one that takes long, becomes one.', 'dim')]]
        : [];
    const filled = [...body, ...empty];
    return {
      rows: [
        renderTitleRow(
          'Jobs',
          `${running} running, ${this.#all.length - running} ended${this.#note === '' ? '' : `   ${this.#note}`}`,
        ),
        body.length === 0 ? [] : titles,
        ...filled,
        ...Array.from({ length: this.#room - filled.length }, (): StyledRow => []),
        ...detail,
        renderKeyHints('↑↓', 'choose', 'enter', 'output', 's', 'stop', 'k', 'kill', 'q', 'back'),
      ],
      cursor: null,
    };
  }

  onKey({ name, text }: KeyPress): void {
    const job = this.#all[this.#choice.at];
    const step = toListStep(name, this.#room);
    if (name === 'escape' || text === 'q' || name === 'ctrl-c') this.#options.close();
    else if (step !== 0)
      this.#choice = moveListSelection(this.#choice, step, { count: this.#all.length, room: this.#room });
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
    this.#all = sortRunningFirst(this.#options.jobs.list()).slice(0, MAX_ROWS);
    // It is a job that was chosen, not a place in a list that changes.
    const at = this.#all.findIndex(({ id }) => id === chosen);
    const by = at === -1 ? 0 : at - this.#choice.at;
    this.#choice = moveListSelection(this.#choice, by, { count: this.#all.length, room: this.#room });
    const { first } = this.#choice;
    const seen = this.#all.filter(
      (job, index) => job.state === 'running' || (index >= first && index < first + this.#room),
    );
    this.#looks = this.#watch?.look(seen.map(({ id }) => id)) ?? new Map();
    this.#options.refresh();
  }

  /** All of the chosen one's command, and what it printed last. */
  #detail(columns: number): StyledRow[] {
    const job = this.#all[this.#choice.at];
    if (job === undefined) return [];
    const room = Math.max(0, columns - 2 * LEFT_MARGIN);
    const command = clipText(toPlainLines(job.command.replace(/\s*\n\s*/g, ' ⏎ '))[0] ?? '', room);
    const last = clipText(toPlainLines(this.#looks.get(job.id)?.lastLine ?? '')[0] ?? '', room);
    const lead = span(' '.repeat(LEFT_MARGIN));
    return [
      [lead, span('─'.repeat(room), 'dim')],
      [lead, span(command, 'strong')],
      [lead, span(last, 'output')],
    ];
  }

  #rows(columns: number): { readonly titles: StyledRow; readonly body: readonly StyledRow[] } {
    const all = this.#all.map((job) => toJobRow(job, this.#looks.get(job.id)));
    const layout = layoutJobColumns(all, columns - LEFT_MARGIN);
    const { at, first } = this.#choice;
    return {
      titles: [
        span(' '.repeat(LEFT_MARGIN)),
        ...layout.map((place) => renderCell(place, place.column.title, 'dim')),
      ],
      body: all.slice(first, first + this.#room).map((row, index) => [
        span(index + first === at ? ' ▌ ' : ' '.repeat(LEFT_MARGIN), 'accent'),
        ...layout.map((place) => {
          const { key } = place.column;
          return renderCell(
            place,
            renderJobCell(row, key),
            key === 'state' ? STATE_TONES[toJobStateKind(row)] : COLUMN_TONES[key],
          );
        }),
      ]),
    };
  }
}

/** Before the first column. */
const LEFT_MARGIN = 3;

const COLUMN_TONES: Readonly<Record<Exclude<JobColumn['key'], 'state'>, Tone>> = {
  name: 'strong',
  age: 'dim',
  cpu: 'plain',
  memory: 'plain',
  ports: 'accent',
  lastLine: 'dim',
};

const STATE_TONES: Readonly<Record<JobStateKind, Tone>> = {
  running: 'accent',
  asks: 'warn',
  completed: 'good',
  failed: 'bad',
  other: 'plain',
};

function renderCell({ column: { key, align }, width }: SizedColumn, text: string, tone: Tone): StyledSpan {
  const shown = clipText(toPlainLines(text)[0] ?? '', width);
  if (key === 'lastLine') return span(shown, tone);
  const space = ' '.repeat(Math.max(0, width - columnsOf(shown)));
  return span((align === 'left' ? shown + space : space + shown) + ' '.repeat(COLUMN_GAP), tone);
}
