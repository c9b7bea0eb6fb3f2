import {
  COLUMN_GAP,
  cellOf,
  type JobColumn,
  type JobKind,
  kindOf,
  type PlacedColumn,
  placeColumns,
} from '../../table/job-columns.ts';
import type { JobRow } from '../../table/job-row.ts';
import { type LiveState, visibleRows } from './live-state.ts';
import { paint, type Style, toWidth } from './live-text.ts';

const MARK = 2;

/** Terminals agree on how wide these are; about other signs they do not. */
const AGREED = /^[\x20-\x7e…●✓✗⏎]*$/;

const STYLES: Readonly<Record<JobKind, Style>> = {
  running: 'green',
  asks: 'yellow',
  completed: 'dim',
  failed: 'red',
  other: 'plain',
};

export interface TableOptions {
  readonly columns: number;
  readonly colour: boolean;
  /** Lines, the titles included. */
  readonly room: number;
}

/** The jobs that are on the screen: the selected one is always among them. */
export function pageOf(state: LiveState, room: number): { readonly from: number; readonly most: number } {
  const shown = visibleRows(state);
  const at = shown.findIndex(({ id }) => id === state.selected);
  const most = Math.max(1, room - 1);
  return { from: Math.max(0, Math.min(at - Math.floor(most / 2), shown.length - most)), most };
}

/** Titles, and as many jobs as fit. */
export function renderJobTable(state: LiveState, { columns, colour, room }: TableOptions): string[] {
  const shown = visibleRows(state);
  const { from, most } = pageOf(state, room);
  const layout = placeColumns(shown, columns - MARK);
  const titles = renderLine(layout, { columns, cell: ({ title }) => [title, 'plain'], colour: false });
  const rows = shown.slice(from, from + most).map((row) => {
    const isSelected = row.id === state.selected;
    const isDim = kindOf(row) === 'completed';
    const line = renderLine(layout, {
      columns,
      colour: colour && !isSelected && !isDim,
      cell: ({ key }) => [cellOf(row, key), styleOf(row, key)],
    });
    if (isSelected) return paint(toLength(`> ${line.text}`, columns - MARK - line.width), 'selected', colour);
    return paint(`  ${line.text.trimEnd()}`, isDim ? 'dim' : 'plain', colour);
  });
  return [paint(`  ${titles.text.trimEnd()}`, 'dim', colour), ...rows];
}

function styleOf(row: JobRow, key: JobColumn['key']): Style {
  if (key === 'state') return STYLES[kindOf(row)];
  if (key === 'ports') return 'cyan';
  return key === 'lastLine' || key === 'age' ? 'dim' : 'plain';
}

interface LineOptions {
  readonly columns: number;
  readonly colour: boolean;
  readonly cell: (column: JobColumn) => readonly [text: string, style: Style];
}

/** The cells side by side, as far as there is room. After a text of unsure width the next cell is put where it belongs. */
function renderLine(
  layout: readonly PlacedColumn[],
  { columns, colour, cell }: LineOptions,
): { readonly text: string; readonly width: number } {
  let text = '';
  let at = 0;
  for (const { column, width } of layout) {
    const room = Math.min(width, columns - MARK - at);
    if (room <= 0) break;
    const [content, style] = cell(column);
    const shown = toWidth(content, room, column.side);
    text += paint(shown, style, colour);
    at += room;
    const gap = Math.min(COLUMN_GAP, columns - MARK - at);
    text += ' '.repeat(gap);
    at += gap;
    if (!AGREED.test(shown)) text += `\x1b[${MARK + at + 1}G`;
  }
  return { text, width: at };
}

function toLength(text: string, missing: number): string {
  return text + ' '.repeat(Math.max(0, missing));
}
