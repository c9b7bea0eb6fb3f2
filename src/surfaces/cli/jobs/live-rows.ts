import type { JobRow } from './job-row.ts';
import { type LiveState, visibleRows } from './live-state.ts';
import { paint, type Style, toWidth, widthOf } from './live-text.ts';

interface Column {
  readonly key: 'name' | 'state' | 'age' | 'cpu' | 'memory' | 'ports' | 'lastLine';
  readonly title: string;
  readonly most: number;
  readonly side: 'left' | 'right';
  /** Left out on terminals that are narrower. */
  readonly from: number;
}

const COLUMNS: readonly Column[] = [
  { key: 'name', title: 'NAME', most: 60, side: 'left', from: 0 },
  { key: 'state', title: 'STATE', most: 16, side: 'left', from: 0 },
  { key: 'age', title: 'AGE', most: 5, side: 'right', from: 36 },
  { key: 'cpu', title: 'CPU', most: 6, side: 'right', from: 60 },
  { key: 'memory', title: 'MEMORY', most: 9, side: 'right', from: 60 },
  { key: 'ports', title: 'PORTS', most: 11, side: 'left', from: 50 },
  { key: 'lastLine', title: 'LAST LINE', most: Number.POSITIVE_INFINITY, side: 'left', from: 36 },
];

/** Of what the other columns leave, the name takes this much before the last line is cut. */
const SHARE_OF_NAME = 0.45;
const GAP = 2;
const MARK = 2;

const SIGNS: readonly (readonly [RegExp, string, Style])[] = [
  [/^running/, '●', 'green'],
  [/^asks/, '?', 'yellow'],
  [/^completed/, '✓', 'dim'],
  [/^failed/, '✗', 'red'],
];

export interface TableOptions {
  readonly columns: number;
  readonly colour: boolean;
  /** Lines, the titles included. */
  readonly room: number;
}

/** Titles, and as many jobs as fit; the selected one is always among them. */
export function renderJobTable(state: LiveState, { columns, colour, room }: TableOptions): string[] {
  const shown = visibleRows(state);
  const at = shown.findIndex(({ id }) => id === state.selected);
  const most = Math.max(1, room - 1);
  const from = Math.max(0, Math.min(at - Math.floor(most / 2), shown.length - most));
  const page = shown.slice(from, from + most);
  const layout = layOut(page, columns);
  const line = (cellOf: (column: Column) => string): string =>
    layout
      .map(({ column, width }) => toWidth(cellOf(column), width, column.side))
      .join(' '.repeat(GAP))
      .trimEnd();
  const rows = page.map((row) => {
    const isSelected = row.id === state.selected;
    const text = `${isSelected ? '> ' : '  '}${line(({ key }) => cell(row, key))}`;
    if (isSelected) return paint(toWidth(text, columns), 'selected', colour);
    const { style } = signOf(row);
    if (style === 'dim') return paint(toWidth(text, columns).trimEnd(), style, colour);
    return renderPainted(row, { layout, columns, colour });
  });
  const titles = toWidth(`  ${line(({ title }) => title)}`, columns).trimEnd();
  return [paint(titles, 'dim', colour), ...rows];
}

/** The state in its colour. */
function renderPainted(
  row: JobRow,
  {
    layout,
    columns,
    colour,
  }: { readonly layout: readonly Place[]; readonly columns: number; readonly colour: boolean },
): string {
  let room = columns - MARK;
  const cells = layout.map(({ column: { key, side }, width }) => {
    const text = toWidth(cell(row, key), Math.max(0, Math.min(width, room)), side);
    room -= width + GAP;
    return key === 'state' ? paint(text, signOf(row).style, colour) : text;
  });
  return `  ${cells.join(' '.repeat(GAP)).trimEnd()}`;
}

interface Place {
  readonly column: Column;
  readonly width: number;
}

function layOut(page: readonly JobRow[], columns: number): Place[] {
  const wanted = COLUMNS.filter(({ from }) => columns >= from).map((column) => ({
    column,
    width: Math.min(
      column.most,
      Math.max(column.title.length, ...page.map((row) => widthOf(cell(row, column.key)))),
    ),
  }));
  const fixed = wanted.filter(({ column: { key } }) => key !== 'name' && key !== 'lastLine');
  const used = fixed.reduce((sum, { width }) => sum + width, 0) + GAP * (wanted.length - 1) + MARK;
  const left = Math.max(4, columns - used);
  const last = wanted.find(({ column: { key } }) => key === 'lastLine')?.width ?? 0;
  const name = Math.max(Math.floor(left * SHARE_OF_NAME), left - last);
  return wanted.map((place) => {
    if (place.column.key === 'name') return { ...place, width: Math.min(place.width, name) };
    if (place.column.key !== 'lastLine') return place;
    const nameWidth = Math.min(wanted[0]?.width ?? 0, name);
    return { ...place, width: Math.max(0, left - nameWidth) };
  });
}

function cell(row: JobRow, key: Column['key']): string {
  return key === 'state' ? `${signOf(row).sign} ${row.state}` : row[key];
}

function signOf({ state }: JobRow): { readonly sign: string; readonly style: Style } {
  const [, sign = ' ', style = 'plain'] = SIGNS.find(([form]) => form.test(state)) ?? [];
  return { sign, style };
}
