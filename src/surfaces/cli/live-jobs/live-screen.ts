import { columnsOf } from '../../../index.ts';
import {
  COLUMN_GAP,
  type JobColumn,
  type JobRow,
  type JobStateKind,
  layoutJobColumns,
  renderJobCell,
  type SizedColumn,
  toJobStateKind,
} from '../../rendering/job-table.ts';
import { clipText } from '../../rendering/text-width.ts';
import { type LiveState, visibleRows } from './live-state.ts';

/** What a piece of text looks like on a terminal. */
export type TextStyle = 'plain' | 'bold' | 'dim' | 'green' | 'yellow' | 'red' | 'cyan' | 'selected';

const STYLE_CODES: Readonly<Record<TextStyle, string>> = {
  plain: '',
  bold: '1',
  dim: '2',
  green: '32',
  yellow: '33;1',
  red: '31',
  cyan: '36',
  selected: '7',
};

/** Tabs and the like would move everything after them. */
const CONTROL_CHARACTERS = /[\x00-\x1f\x7f-\x9f]/g;

/** What fits of a text, on one line. */
export function fitToWidth(text: string, width: number): string {
  return clipText(text.replace(CONTROL_CHARACTERS, ' '), width);
}

/** Exactly so wide. */
export function padToWidth(text: string, width: number, side: 'left' | 'right' = 'left'): string {
  const fitting = fitToWidth(text, width);
  const space = ' '.repeat(Math.max(0, width - columnsOf(fitting)));
  return side === 'left' ? fitting + space : space + fitting;
}

export function applyStyle(text: string, style: TextStyle, colour: boolean): string {
  return colour && style !== 'plain' && text !== '' ? `\x1b[${STYLE_CODES[style]}m${text}\x1b[0m` : text;
}

const MARKER_COLUMNS = 2;

/** Terminals agree on how wide these are; about other signs they do not. */
const KNOWN_WIDTH_TEXT = /^[\x20-\x7e…●✓✗⏎]*$/;

const STATE_STYLES: Readonly<Record<JobStateKind, TextStyle>> = {
  running: 'green',
  asks: 'yellow',
  completed: 'dim',
  failed: 'red',
  other: 'plain',
};

export interface JobTableOptions {
  readonly columns: number;
  readonly colour: boolean;
  /** Lines, the titles included. */
  readonly room: number;
}

/** The jobs that are on the screen: the selected one is always among them. */
export function visiblePage(
  state: LiveState,
  room: number,
): { readonly from: number; readonly most: number } {
  const shown = visibleRows(state);
  const at = shown.findIndex(({ id }) => id === state.selected);
  const most = Math.max(1, room - 1);
  return { from: Math.max(0, Math.min(at - Math.floor(most / 2), shown.length - most)), most };
}

/** Titles, and as many jobs as fit. */
export function renderJobTable(state: LiveState, { columns, colour, room }: JobTableOptions): string[] {
  const shown = visibleRows(state);
  const { from, most } = visiblePage(state, room);
  const layout = layoutJobColumns(shown, columns - MARKER_COLUMNS);
  const titles = renderLine(layout, { columns, cell: ({ title }) => [title, 'plain'], colour: false });
  const rows = shown.slice(from, from + most).map((row) => {
    const isSelected = row.id === state.selected;
    const isDim = toJobStateKind(row) === 'completed';
    const line = renderLine(layout, {
      columns,
      colour: colour && !isSelected && !isDim,
      cell: ({ key }) => [renderJobCell(row, key), styleOf(row, key)],
    });
    if (isSelected)
      return applyStyle(padEnd(`> ${line.text}`, columns - MARKER_COLUMNS - line.width), 'selected', colour);
    return applyStyle(`  ${line.text.trimEnd()}`, isDim ? 'dim' : 'plain', colour);
  });
  return [applyStyle(`  ${titles.text.trimEnd()}`, 'dim', colour), ...rows];
}

function styleOf(row: JobRow, key: JobColumn['key']): TextStyle {
  if (key === 'state') return STATE_STYLES[toJobStateKind(row)];
  if (key === 'ports') return 'cyan';
  return key === 'lastLine' || key === 'age' ? 'dim' : 'plain';
}

interface LineOptions {
  readonly columns: number;
  readonly colour: boolean;
  readonly cell: (column: JobColumn) => readonly [text: string, style: TextStyle];
}

/** The cells side by side, as far as there is room. After a text of unsure width the next cell is put where it belongs. */
function renderLine(
  layout: readonly SizedColumn[],
  { columns, colour, cell }: LineOptions,
): { readonly text: string; readonly width: number } {
  let text = '';
  let at = 0;
  for (const { column, width } of layout) {
    const room = Math.min(width, columns - MARKER_COLUMNS - at);
    if (room <= 0) break;
    const [content, style] = cell(column);
    const shown = padToWidth(content, room, column.align);
    text += applyStyle(shown, style, colour);
    at += room;
    const gap = Math.min(COLUMN_GAP, columns - MARKER_COLUMNS - at);
    text += ' '.repeat(gap);
    at += gap;
    if (!KNOWN_WIDTH_TEXT.test(shown)) text += `\x1b[${MARKER_COLUMNS + at + 1}G`;
  }
  return { text, width: at };
}

function padEnd(text: string, missing: number): string {
  return text + ' '.repeat(Math.max(0, missing));
}

export interface LiveScreenOptions {
  readonly columns: number;
  readonly rows: number;
  readonly colour: boolean;
  /** What the followed job printed last, as text. */
  readonly output: string;
}

/** From this height on there is room to say more about the selected job. */
const DETAIL_MIN_ROWS = 14;

/** The whole screen, one text for each of its lines. */
export function renderLiveScreen(state: LiveState, options: LiveScreenOptions): string[] {
  const screen = state.mode === 'follow' ? renderFollow(state, options) : renderJobs(state, options);
  return screen.slice(0, options.rows);
}

/** So many empty lines, and what the selected job printed last is shown in them. */
const OUTPUT_MIN_ROWS = 4;

/** How many lines of the selected job's output there is room for; 0 where it is not shown. */
export function outputRowCount(state: LiveState, { rows }: Pick<LiveScreenOptions, 'rows'>): number {
  if (state.mode === 'follow') return Math.max(1, rows - 3);
  // Head, titles, keys; a line and two about the job; three that are left empty.
  const spare = rows - 9 - visibleRows(state).length;
  return rows >= DETAIL_MIN_ROWS && spare >= OUTPUT_MIN_ROWS && visibleRows(state).length > 0 ? spare : 0;
}

/** A head, the table, the selected job, and the keys on the last line. */
function renderJobs(state: LiveState, options: LiveScreenOptions): string[] {
  const { rows, columns, colour } = options;
  const detail = rows >= DETAIL_MIN_ROWS ? renderDetail(state, options) : [];
  const room = Math.max(2, rows - 2 - detail.length);
  const head = renderHead(state, { ...options, room });
  const body =
    visibleRows(state).length === 0
      ? ['', applyStyle(fitToWidth(`  ${renderEmpty(state)}`, columns), 'dim', colour)]
      : renderJobTable(state, { columns, colour, room });
  const lines = lastLines(options.output, outputRowCount(state, options));
  const output = lines.length === 0 ? [] : ['', ...lines.map((line) => fitToWidth(line, columns))];
  const space = Array.from({ length: Math.max(0, room - body.length - output.length) }, () => '');
  // With something below it, the selected job stands next to the table.
  const [before, after] = output.length === 0 ? [space, []] : [space.slice(0, 1), space.slice(1)];
  return [head, ...body, ...before, ...detail, ...output, ...after, renderFoot(state, options)];
}

function lastLines(output: string, most: number): string[] {
  const text = output.replace(/\n$/, '');
  return text === '' || most < 1 ? [] : text.split('\n').slice(-most);
}

function renderHead(state: LiveState, options: LiveScreenOptions & { readonly room: number }): string {
  const { columns, colour } = options;
  const left = renderCounts(state, options);
  const right = renderPosition(state, options.room);
  const gap = columns - columnsOf(left.plain) - columnsOf(right);
  return right === '' || gap < 3
    ? left.painted
    : left.painted + ' '.repeat(gap) + applyStyle(right, 'dim', colour);
}

/** Which of them are on the screen, where not all are. */
function renderPosition(state: LiveState, room: number): string {
  const count = visibleRows(state).length;
  const { from, most } = visiblePage(state, room);
  return count <= most ? '' : `${from + 1}–${Math.min(count, from + most)} of ${count}`;
}

function renderCounts(
  { rows, query }: LiveState,
  { columns, colour }: LiveScreenOptions,
): { readonly plain: string; readonly painted: string } {
  const count = (wanted: RegExp): number => rows.filter(({ state }) => wanted.test(state)).length;
  const counts: [number, string, TextStyle][] = [
    [count(/^running/), 'running', 'green'],
    [count(/^asks/), count(/^asks/) === 1 ? 'asks' : 'ask', 'yellow'],
    [count(/^failed/), 'failed', 'red'],
    [count(/^completed/), 'completed', 'dim'],
  ];
  const words = counts.filter(([number]) => number > 0);
  const search = query === '' ? '' : `/${query}`;
  const plain = ['nacre jobs', ...words.map(([number, word]) => `${number} ${word}`), search]
    .filter(Boolean)
    .join('   ');
  if (columnsOf(plain) > columns)
    return { plain: fitToWidth(plain, columns), painted: fitToWidth(plain, columns) };
  const counted = words.map(([number, word, style]) => applyStyle(`${number} ${word}`, style, colour));
  const painted = [applyStyle('nacre jobs', 'bold', colour), ...counted, applyStyle(search, 'bold', colour)]
    .filter(Boolean)
    .join('   ');
  return { plain, painted };
}

function renderEmpty({ query }: LiveState): string {
  return query === '' ? 'No jobs. nacre run --async <command> starts one.' : `No job contains ${query}.`;
}

function renderDetail(state: LiveState, { columns, colour }: LiveScreenOptions): string[] {
  const row = selectedRow(state);
  const lines = row === undefined ? ['', ''] : [row.command, row.detail];
  return [
    applyStyle('─'.repeat(columns), 'dim', colour),
    ...lines.map((line, at) => applyStyle(fitToWidth(line, columns), at === 0 ? 'plain' : 'dim', colour)),
  ];
}

type KeyHint = readonly [key: string, meaning: string];

const TABLE_KEYS: readonly KeyHint[] = [
  ['↑↓', 'select'],
  ['f', 'follow'],
  ['k', 'stop'],
  ['/', 'search'],
  ['q', 'quit'],
];

function renderFoot(state: LiveState, options: LiveScreenOptions): string {
  const name = selectedRow(state)?.name ?? '';
  if (state.mode === 'search') {
    const keys: KeyHint[] = [
      ['enter', 'keep'],
      ['esc', 'clear'],
    ];
    return renderKeys(keys, `/${state.query}▏`, options);
  }
  if (state.mode === 'confirm') {
    const keys: KeyHint[] = [
      ['y', 'yes'],
      ['any other key', 'no'],
    ];
    return renderKeys(keys, `Stop ${fitToWidth(name, options.columns - 32)}?`, options);
  }
  return renderKeys(TABLE_KEYS, state.message, options);
}

function renderKeys(
  keys: readonly KeyHint[],
  before: string,
  { columns, colour }: LiveScreenOptions,
): string {
  const plain = [...(before === '' ? [] : [before]), ...keys.map((key) => key.join(' '))].join('   ');
  if (columnsOf(plain) > columns) return fitToWidth(plain, columns);
  const painted = keys.map(
    ([key, meaning]) => `${applyStyle(key, 'bold', colour)} ${applyStyle(meaning, 'dim', colour)}`,
  );
  return [...(before === '' ? [] : [applyStyle(before, 'yellow', colour)]), ...painted].join('   ');
}

function renderFollow(state: LiveState, options: LiveScreenOptions): string[] {
  const { columns, rows, output, colour } = options;
  const row = selectedRow(state);
  const room = Math.max(1, rows - 3);
  const body = lastLines(output, room).map((line) => fitToWidth(line, columns));
  const head =
    row === undefined ? 'This job is gone.' : `${row.name}   ${row.state}   ${row.age}   ${row.id}`;
  const space = Array.from({ length: Math.max(0, room - body.length) }, () => '');
  const keys: KeyHint[] = [
    ['f', 'back'],
    ['k', 'stop'],
  ];
  return [
    applyStyle(padToWidth(head, columns).trimEnd(), 'bold', colour),
    applyStyle('─'.repeat(columns), 'dim', colour),
    ...body,
    ...space,
    renderKeys(keys, '', options),
  ];
}

function selectedRow({ rows, selected }: LiveState): JobRow | undefined {
  return rows.find(({ id }) => id === selected);
}
