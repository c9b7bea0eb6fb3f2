import { columnsOf } from '../../../index.ts';
import type { JobRow } from '../../table/job-row.ts';
import { pageOf, renderJobTable } from './live-rows.ts';
import { type LiveState, visibleRows } from './live-state.ts';
import { paint, type Style, toFit, toWidth } from './live-text.ts';

export interface ScreenOptions {
  readonly columns: number;
  readonly rows: number;
  readonly colour: boolean;
  /** What the followed job printed last, as text. */
  readonly output: string;
}

/** From this height on there is room to say more about the selected job. */
const TALL = 14;

/** The whole screen, one text for each of its lines. */
export function renderScreen(state: LiveState, options: ScreenOptions): string[] {
  const screen = state.mode === 'follow' ? renderFollow(state, options) : renderJobs(state, options);
  return screen.slice(0, options.rows);
}

/** So many empty lines, and what the selected job printed last is shown in them. */
const ROOM_FOR_OUTPUT = 4;

/** How many lines of the selected job's output there is room for; 0 where it is not shown. */
export function roomForOutput(state: LiveState, { rows }: Pick<ScreenOptions, 'rows'>): number {
  if (state.mode === 'follow') return Math.max(1, rows - 3);
  // Head, titles, keys; a line and two about the job; three that are left empty.
  const spare = rows - 9 - visibleRows(state).length;
  return rows >= TALL && spare >= ROOM_FOR_OUTPUT && visibleRows(state).length > 0 ? spare : 0;
}

/** A head, the table, the selected job, and the keys on the last line. */
function renderJobs(state: LiveState, options: ScreenOptions): string[] {
  const { rows, columns, colour } = options;
  const detail = rows >= TALL ? renderDetail(state, options) : [];
  const room = Math.max(2, rows - 2 - detail.length);
  const head = renderHead(state, { ...options, room });
  const body =
    visibleRows(state).length === 0
      ? ['', paint(toFit(`  ${renderNothing(state)}`, columns), 'dim', colour)]
      : renderJobTable(state, { columns, colour, room });
  const lines = lastLines(options.output, roomForOutput(state, options));
  const output = lines.length === 0 ? [] : ['', ...lines.map((line) => toFit(line, columns))];
  const space = Array.from({ length: Math.max(0, room - body.length - output.length) }, () => '');
  // With something below it, the selected job stands next to the table.
  const [before, after] = output.length === 0 ? [space, []] : [space.slice(0, 1), space.slice(1)];
  return [head, ...body, ...before, ...detail, ...output, ...after, renderFoot(state, options)];
}

function lastLines(output: string, most: number): string[] {
  const text = output.replace(/\n$/, '');
  return text === '' || most < 1 ? [] : text.split('\n').slice(-most);
}

function renderHead(state: LiveState, options: ScreenOptions & { readonly room: number }): string {
  const { columns, colour } = options;
  const left = renderCounts(state, options);
  const right = renderPlace(state, options.room);
  const gap = columns - columnsOf(left.plain) - columnsOf(right);
  return right === '' || gap < 3
    ? left.painted
    : left.painted + ' '.repeat(gap) + paint(right, 'dim', colour);
}

/** Which of them are on the screen, where not all are. */
function renderPlace(state: LiveState, room: number): string {
  const count = visibleRows(state).length;
  const { from, most } = pageOf(state, room);
  return count <= most ? '' : `${from + 1}–${Math.min(count, from + most)} of ${count}`;
}

function renderCounts(
  { rows, query }: LiveState,
  { columns, colour }: ScreenOptions,
): { readonly plain: string; readonly painted: string } {
  const count = (wanted: RegExp): number => rows.filter(({ state }) => wanted.test(state)).length;
  const counts: [number, string, Style][] = [
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
  if (columnsOf(plain) > columns) return { plain: toFit(plain, columns), painted: toFit(plain, columns) };
  const counted = words.map(([number, word, style]) => paint(`${number} ${word}`, style, colour));
  const painted = [paint('nacre jobs', 'bold', colour), ...counted, paint(search, 'bold', colour)]
    .filter(Boolean)
    .join('   ');
  return { plain, painted };
}

function renderNothing({ query }: LiveState): string {
  return query === '' ? 'No jobs. nacre run --async <command> starts one.' : `No job contains ${query}.`;
}

function renderDetail(state: LiveState, { columns, colour }: ScreenOptions): string[] {
  const row = selectedOf(state);
  const lines = row === undefined ? ['', ''] : [row.command, row.detail];
  return [
    paint('─'.repeat(columns), 'dim', colour),
    ...lines.map((line, at) => paint(toFit(line, columns), at === 0 ? 'plain' : 'dim', colour)),
  ];
}

type Key = readonly [key: string, meaning: string];

const TABLE_KEYS: readonly Key[] = [
  ['↑↓', 'select'],
  ['f', 'follow'],
  ['k', 'stop'],
  ['/', 'search'],
  ['q', 'quit'],
];

function renderFoot(state: LiveState, options: ScreenOptions): string {
  const name = selectedOf(state)?.name ?? '';
  if (state.mode === 'search') {
    const keys: Key[] = [
      ['enter', 'keep'],
      ['esc', 'clear'],
    ];
    return renderKeys(keys, `/${state.query}▏`, options);
  }
  if (state.mode === 'confirm') {
    const keys: Key[] = [
      ['y', 'yes'],
      ['any other key', 'no'],
    ];
    return renderKeys(keys, `Stop ${toFit(name, options.columns - 32)}?`, options);
  }
  return renderKeys(TABLE_KEYS, state.message, options);
}

function renderKeys(keys: readonly Key[], before: string, { columns, colour }: ScreenOptions): string {
  const plain = [...(before === '' ? [] : [before]), ...keys.map((key) => key.join(' '))].join('   ');
  if (columnsOf(plain) > columns) return toFit(plain, columns);
  const painted = keys.map(
    ([key, meaning]) => `${paint(key, 'bold', colour)} ${paint(meaning, 'dim', colour)}`,
  );
  return [...(before === '' ? [] : [paint(before, 'yellow', colour)]), ...painted].join('   ');
}

function renderFollow(state: LiveState, options: ScreenOptions): string[] {
  const { columns, rows, output, colour } = options;
  const row = selectedOf(state);
  const room = Math.max(1, rows - 3);
  const body = lastLines(output, room).map((line) => toFit(line, columns));
  const head =
    row === undefined ? 'This job is gone.' : `${row.name}   ${row.state}   ${row.age}   ${row.id}`;
  const space = Array.from({ length: Math.max(0, room - body.length) }, () => '');
  const keys: Key[] = [
    ['f', 'back'],
    ['k', 'stop'],
  ];
  return [
    paint(toWidth(head, columns).trimEnd(), 'bold', colour),
    paint('─'.repeat(columns), 'dim', colour),
    ...body,
    ...space,
    renderKeys(keys, '', options),
  ];
}

function selectedOf({ rows, selected }: LiveState): JobRow | undefined {
  return rows.find(({ id }) => id === selected);
}
