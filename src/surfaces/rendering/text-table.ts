import { toPrintable } from './printable.ts';

/** Renders rows as columns, each as wide as its widest cell; the last column is not padded. */
export function renderTable(table: readonly (readonly string[])[]): string {
  const rows = table.map((row) => row.map(toPrintable));
  const widths: number[] = [];
  for (const row of rows) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  }
  const render = (row: readonly string[]): string =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)))
      .join('  ')
      .trimEnd();
  return rows.map(render).join('\n');
}

const MAX_CELL = 100;

/** The first line of a command, shortened to fit a table cell. */
export function toOneLine(text: string): string {
  const line = text.trim().replace(/\n[\s\S]*/, ' …');
  return line.length <= MAX_CELL ? line : `${line.slice(0, MAX_CELL)}…`;
}

/** The age in one unit: `5s`, `3m`, `2h`, `9d`. */
export function renderAge(since: number, now: number = Date.now()): string {
  const seconds = Math.max(0, Math.floor((now - since) / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`;
}
