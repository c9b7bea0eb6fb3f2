import type { JobInfo, Jobs, JobWatch } from '../../../index.ts';
import {
  COLUMN_GAP,
  type JobColumn,
  type JobRow,
  type JobStateKind,
  layoutJobColumns,
  renderJobCell,
  type SizedColumn,
  sortRunningFirst,
  toJobRow,
  toJobStateKind,
} from '../../rendering/job-table.ts';
import { toPlainLines } from '../../rendering/printable.ts';
import { clipText, displayWidth } from '../../rendering/text-width.ts';
import type { ScreenContent, ScreenSize } from '../screen/frame-renderer.ts';
import type { KeyPress } from '../screen/key-reader.ts';
import { rowWidth, type StyledRow, type StyledSpan, span, type Tone } from '../screen/styled-row.ts';
import type { Panel, PanelHost } from './panel.ts';
import {
  blankRows,
  type ListSelection,
  moveListSelection,
  renderKeyHints,
  renderTitleRow,
  toListStep,
} from './panel.ts';

const POLL_MS = 1_000;
/** Older jobs are listed by `nacre jobs list`. */
const MAX_ROWS = 500;

/** Terminals with fewer rows show no details of the selected job. */
const DETAIL_MIN_ROWS = 14;

/** With fewer free rows the output of the selected job is not shown. */
const OUTPUT_MIN_ROWS = 4;

export interface JobsPanelOptions extends PanelHost {
  readonly jobs: Jobs;
  readonly onlyRunning?: boolean;
  /** Opens the output of a job; may throw when it is not stored. */
  readonly onOpen: (job: JobInfo) => void;
}

interface ListedJob {
  readonly job: JobInfo;
  readonly row: JobRow;
}

interface PendingStop {
  readonly job: JobInfo;
  /** SIGKILL instead of SIGTERM, grace period and SIGKILL. */
  readonly kill: boolean;
}

/** The jobs with their state and resource usage, measured every second. */
export class JobsPanel implements Panel {
  readonly #options: JobsPanelOptions;
  readonly #timer: NodeJS.Timeout;
  #watch: JobWatch | null = null;
  #listed: readonly ListedJob[] = [];
  #selection: ListSelection = { at: 0, first: 0 };
  #pageRows = 10;
  #query = '';
  #isSearching = false;
  #pendingStop: PendingStop | null = null;
  #note = '';
  #outputRows = 0;
  #output: readonly string[] = [];

  constructor(options: JobsPanelOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#update(), POLL_MS);
    void options.jobs.watch().then((watch) => {
      this.#watch = watch;
      void this.#update();
    });
  }

  render({ columns, rows }: ScreenSize): ScreenContent {
    const visible = this.#visible();
    const detail = rows >= DETAIL_MIN_ROWS ? this.#renderDetail(columns) : [];
    this.#pageRows = Math.max(1, rows - 3 - detail.length);
    const table = visible.length === 0 ? [[], [span(this.#emptyText(), 'dim')]] : this.#renderTable(columns);
    const free = this.#pageRows + 1 - table.length;
    this.#outputRows = detail.length > 0 && free - 2 >= OUTPUT_MIN_ROWS ? free - 2 : 0;
    const output = this.#output
      .slice(-this.#outputRows || Number.POSITIVE_INFINITY)
      .map((line): StyledRow => [span(`${LEAD}${line}`, 'output')]);
    // Details are next to the table when output follows them, and otherwise at the end of the screen.
    const body =
      output.length > 0
        ? [...table, [], ...detail, [], ...output, ...blankRows(free - 2 - output.length)]
        : [...table, ...blankRows(free), ...detail];
    const cursor = this.#isSearching
      ? { row: rows - 1, column: Math.min(columns - 1, LEAD.length + 1 + displayWidth(this.#query)) }
      : null;
    return { rows: [this.#renderHead(), ...body, this.#renderFoot()], cursor };
  }

  onKey(key: KeyPress): void {
    if (key.name === 'release') return;
    if (this.#pendingStop !== null) this.#confirm(key, this.#pendingStop);
    else if (this.#isSearching) this.#search(key);
    else this.#command(key);
    this.#options.refresh();
  }

  onClose(): void {
    clearInterval(this.#timer);
  }

  #command({ name, text }: KeyPress): void {
    this.#note = '';
    const job = this.#selected?.job;
    const step = toListStep(name, this.#pageRows);
    if (text === 'q' || name === 'ctrl-c' || (name === 'escape' && this.#query === '')) this.#options.close();
    else if (name === 'escape') this.#setQuery('');
    else if (text === '/') this.#isSearching = true;
    else if (step !== 0) this.#move(step);
    else if (job !== undefined && (name === 'enter' || text === 'f')) this.#open(job);
    else if (job !== undefined && (text === 's' || text === 'k'))
      this.#pendingStop = { job, kill: text === 'k' };
  }

  #open(job: JobInfo): void {
    try {
      this.#options.onOpen(job);
    } catch (error) {
      this.#note = error instanceof Error ? error.message : String(error);
    }
  }

  #search({ name, text }: KeyPress): void {
    if (name === 'enter') this.#isSearching = false;
    else if (name === 'escape' || name === 'ctrl-c') {
      this.#isSearching = false;
      this.#setQuery('');
    } else if (name === 'backspace') this.#setQuery([...this.#query].slice(0, -1).join(''));
    else this.#setQuery(this.#query + (name === 'space' ? ' ' : text.replace(/\s+/g, ' ')));
  }

  #confirm({ text }: KeyPress, stop: PendingStop): void {
    this.#pendingStop = null;
    if (text === 'y') void this.#stop(stop);
    else this.#note = 'Not stopped.';
  }

  async #stop({ job, kill }: PendingStop): Promise<void> {
    this.#note = 'Stopping …';
    this.#note = await this.#options.jobs
      .kill(job.id, kill ? { signal: 'SIGKILL' } : { escalate: true })
      .then(
        ({ survivors }) =>
          survivors.length === 0 ? 'Stopped.' : `Still alive: ${survivors.map(({ pid }) => pid).join(', ')}`,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
    await this.#update();
  }

  async #update(): Promise<void> {
    const { jobs, onlyRunning = false } = this.#options;
    const selected = this.#selected?.job.id;
    const found = jobs.list().filter(({ state }) => !onlyRunning || state === 'running');
    const listed = sortRunningFirst(found).slice(0, MAX_ROWS);
    const { first } = this.#selection;
    const page = [...listed.slice(first), ...this.#visible().map(({ job }) => job)];
    const onScreen = new Set(page.slice(0, this.#pageRows).map(({ id }) => id));
    const measured = listed.filter(({ id, state }) => state === 'running' || onScreen.has(id));
    const looks = this.#watch?.look(measured.map(({ id }) => id));
    this.#listed = listed.map((job) => ({ job, row: toJobRow(job, looks?.get(job.id)) }));
    this.#select(selected);
    await this.#readOutput();
    this.#options.refresh();
  }

  /** Reads the end of the selected job's output when there is room for it. */
  async #readOutput(): Promise<void> {
    const id = this.#selected?.job.id;
    const lines = this.#outputRows;
    const text =
      id === undefined || lines === 0
        ? ''
        : await this.#options.jobs.peek(id, { lines }).then(
            (peek) => peek.text,
            () => '',
          );
    if (id === this.#selected?.job.id) this.#output = toPlainLines(text);
  }

  get #selected(): ListedJob | undefined {
    return this.#visible()[this.#selection.at];
  }

  #visible(): readonly ListedJob[] {
    const query = this.#query.toLowerCase();
    if (query === '') return this.#listed;
    return this.#listed.filter(({ row }) =>
      Object.values(row).some((cell: string) => cell.toLowerCase().includes(query)),
    );
  }

  #setQuery(query: string): void {
    const selected = this.#selected?.job.id;
    this.#query = query;
    this.#select(selected);
  }

  /** Selects a job by id, because its position changes; without it the selection stays within the list. */
  #select(id: string | undefined): void {
    const at = this.#visible().findIndex(({ job }) => job.id === id);
    this.#move(at === -1 ? 0 : at - this.#selection.at);
  }

  #move(by: number): void {
    const before = this.#selected?.job.id;
    const list = { count: this.#visible().length, room: this.#pageRows };
    this.#selection = moveListSelection(this.#selection, by, list);
    if (this.#selected?.job.id === before) return;
    this.#output = [];
    void this.#readOutput().then(this.#options.refresh);
  }

  #emptyText(): string {
    if (this.#watch === null) return '';
    return this.#query === ''
      ? `${LEAD}No jobs. Start one with "async": true, or with nacre run --async.`
      : `${LEAD}No job contains ${this.#query}.`;
  }

  #renderHead(): StyledRow {
    const count = (kind: JobStateKind): number =>
      this.#listed.filter(({ row }) => toJobStateKind(row) === kind).length;
    const counts = (['running', 'waiting', 'failed', 'completed'] as const)
      .map((kind) => [count(kind), kind] as const)
      .filter(([number]) => number > 0);
    const total = this.#visible().length;
    const { first } = this.#selection;
    const facts = [
      ...counts.map((each) => each.join(' ')),
      ...(this.#query === '' ? [] : [`/${this.#query}`]),
      ...(total <= this.#pageRows
        ? []
        : [`${first + 1}–${Math.min(total, first + this.#pageRows)} of ${total}`]),
      this.#note,
    ];
    return renderTitleRow('Jobs', facts.filter(Boolean).join('   '));
  }

  #renderFoot(): StyledRow {
    if (this.#isSearching)
      return [
        span(LEAD, 'status'),
        span('/', 'key'),
        span(this.#query, 'status'),
        ...renderKeyHints('enter', 'keep', 'esc', 'clear'),
      ];
    if (this.#pendingStop === null)
      return renderKeyHints(
        ...['↑↓', 'select', 'enter', 'output', 's', 'stop', 'k', 'kill', '/', 'search', 'q', 'back'],
      );
    const { job, kill } = this.#pendingStop;
    const name = clipText(toPlainLines(job.name ?? job.label)[0] ?? '', 40);
    return [
      span(`${LEAD}${kill ? 'Kill' : 'Stop'} ${name}?`, 'alert'),
      ...renderKeyHints('y', 'yes', 'any other key', 'no'),
    ];
  }

  #renderDetail(columns: number): StyledRow[] {
    const row = this.#selected?.row;
    if (row === undefined) return [];
    const width = Math.max(0, columns - 2 * LEAD.length);
    const line = (text: string, tone: Tone): StyledRow => [
      span(LEAD),
      span(clipText(toPlainLines(text)[0] ?? '', width), tone),
    ];
    return [
      [span(LEAD), span('─'.repeat(width), 'dim')],
      line(row.command, 'strong'),
      line(row.detail, 'dim'),
    ];
  }

  /** The titles and the visible page of jobs. */
  #renderTable(columns: number): StyledRow[] {
    const rows = this.#visible().map(({ row }) => row);
    const layout = layoutJobColumns(rows, columns - LEAD.length);
    const { at, first } = this.#selection;
    return [
      [span(LEAD), ...layout.map((cell) => renderCell(cell, cell.column.title, 'dim'))],
      ...rows.slice(first, first + this.#pageRows).map((row, index) => {
        const cells: StyledSpan[] = [span(index + first === at ? ' ▌ ' : LEAD, 'accent')];
        for (const cell of layout) {
          const { key } = cell.column;
          const tone = key === 'state' ? STATE_TONES[toJobStateKind(row)] : COLUMN_TONES[key];
          const rendered = renderCell(cell, renderJobCell(row, key), tone);
          cells.push(rendered);
          if (!KNOWN_WIDTH_TEXT.test(rendered.text)) cells.push(moveToColumn(rowWidth(cells)));
        }
        return cells;
      }),
    ];
  }
}

/** The margin before the first column. */
const LEAD = '   ';

/** Terminals agree on the width of these characters. */
const KNOWN_WIDTH_TEXT = /^[\x20-\x7e…●✓✗⏎]*$/;

/** Moves the cursor after a text whose width differs between terminals. */
function moveToColumn(column: number): StyledSpan {
  return { text: '', tone: 'plain', painted: `\x1b[${column + 1}G` };
}

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
  waiting: 'warn',
  completed: 'good',
  failed: 'bad',
  other: 'plain',
};

function renderCell({ column: { key, align }, width }: SizedColumn, text: string, tone: Tone): StyledSpan {
  const shown = clipText(toPlainLines(text)[0] ?? '', width);
  if (key === 'lastLine') return span(shown, tone);
  const space = ' '.repeat(Math.max(0, width - displayWidth(shown)));
  return span((align === 'left' ? shown + space : space + shown) + ' '.repeat(COLUMN_GAP), tone);
}
