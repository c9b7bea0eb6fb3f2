import type { JobRow } from './job-row.ts';
import { type LiveState, visibleRows } from './live-state.ts';

export interface ScreenOptions {
  readonly columns: number;
  readonly rows: number;
  readonly colour: boolean;
  /** What the followed job printed last, as text. */
  readonly output: string;
}

type Column = readonly [keyof JobRow, string, number];

/** Names, titles and widest widths; the last one takes what is left. */
const COLUMNS: readonly Column[] = [
  ['name', 'NAME', 32],
  ['state', 'STATE', 16],
  ['age', 'AGE', 5],
  ['cpu', 'CPU', 6],
  ['memory', 'MEMORY', 9],
  ['ports', 'PORTS', 12],
  ['lastLine', 'LAST LINE', Number.POSITIVE_INFINITY],
];

/** Around the rows: a head, titles, an empty line, a foot. */
const FRAME_LINES = 4;

/** The whole screen, one text for each of its lines. */
export function renderScreen(state: LiveState, options: ScreenOptions): string[] {
  const lines = state.mode === 'follow' ? renderFollow(state, options) : renderRows(state, options);
  return lines.slice(0, options.rows);
}

function renderRows(state: LiveState, { columns, rows, colour }: ScreenOptions): string[] {
  const shown = visibleRows(state);
  const at = Math.max(
    0,
    shown.findIndex(({ id }) => id === state.selected),
  );
  const room = Math.max(1, rows - FRAME_LINES);
  // The selected row is always on the screen.
  const from = Math.max(0, Math.min(at - Math.floor(room / 2), shown.length - room));
  const page = shown.slice(from, from + room);
  const widths = COLUMNS.map(([key, title, most]) =>
    Math.min(most, Math.max(title.length, ...page.map((row) => row[key].length))),
  );
  const cells = (values: readonly string[]): string =>
    clip(values.map((value, index) => pad(value, widths[index] ?? 0)).join('  '), columns - 2);
  const body = page.map((row) => {
    const line = cells(COLUMNS.map(([key]) => row[key]));
    const isSelected = row.id === state.selected;
    const marked = `${isSelected ? '>' : ' '} ${line}`;
    return isSelected && colour ? `\x1b[7m${marked.padEnd(columns)}\x1b[0m` : marked;
  });
  const titles = `  ${cells(COLUMNS.map(([, title]) => title))}`;
  return [clip(renderHead(state), columns), titles, ...body, '', clip(renderFoot(state), columns)];
}

function renderHead({ rows, query }: LiveState): string {
  const running = rows.filter(({ state }) => state === 'running' || state === 'asks').length;
  const search = query === '' ? '' : `   search: ${query}`;
  return `nacre jobs   ${running} running, ${rows.length - running} ended${search}`;
}

function renderFoot(state: LiveState): string {
  const name = state.rows.find(({ id }) => id === state.selected)?.name ?? '';
  if (state.mode === 'search') return `/${state.query}_   enter: keep   esc: clear`;
  if (state.mode === 'confirm') return `Stop ${name}? y: yes   any other key: no`;
  const keys = 'up/down: select   f: follow   k: stop   /: search   q: quit';
  return state.message === '' ? keys : `${state.message}   ${keys}`;
}

function renderFollow(state: LiveState, { columns, rows, output }: ScreenOptions): string[] {
  const row = state.rows.find(({ id }) => id === state.selected);
  const room = Math.max(1, rows - 3);
  const lines = output.replace(/\n$/, '').split('\n').slice(-room);
  const body = lines.map((line) => clip(line, columns));
  const head =
    row === undefined ? 'This job is gone.' : `${row.name}   ${row.state}   ${row.age}   ${row.id}`;
  return [clip(head, columns), ...body, '', clip('f: back   k: stop', columns)];
}

function pad(text: string, width: number): string {
  return Number.isFinite(width) ? clip(text, width).padEnd(width) : text;
}

/** Tabs would move everything after them. */
function clip(text: string, width: number): string {
  const plain = text.replaceAll('\t', ' ');
  if (plain.length <= width) return plain;
  return width < 1 ? '' : `${plain.slice(0, width - 1)}…`;
}
