import type { JobRow } from '../../table/job-row.ts';
import type { LiveKey } from './live-keys.ts';

/** What the live table shows, and what the next key would mean. */
export interface LiveState {
  /** All there are, newest first. */
  readonly rows: readonly JobRow[];
  readonly selected: string | null;
  /** `search`: a text is being typed. `confirm`: a stop is to be confirmed. `follow`: the output of the selected one. */
  readonly mode: 'table' | 'search' | 'confirm' | 'follow';
  /** Only rows that contain it are shown. */
  readonly query: string;
  /** What happened last. */
  readonly message: string;
}

/** What a key asks of the world outside. */
export type LiveEffect =
  | { readonly kind: 'none' }
  | { readonly kind: 'quit'; readonly status: number }
  | { readonly kind: 'stop'; readonly id: string };

export interface Pressed {
  readonly state: LiveState;
  readonly effect: LiveEffect;
}

export const EMPTY: LiveState = { rows: [], selected: null, mode: 'table', query: '', message: '' };

const NONE: LiveEffect = { kind: 'none' };
const INTERRUPTED = 130;
const PAGE = 10;

/** The rows that are shown. */
export function visibleRows({ rows, query }: LiveState): readonly JobRow[] {
  const wanted = query.toLowerCase();
  if (wanted === '') return rows;
  return rows.filter((row) => Object.values(row).some((cell) => cell.toLowerCase().includes(wanted)));
}

/** New rows: the selected job stays selected as long as it is there. */
export function withRows(state: LiveState, rows: readonly JobRow[]): LiveState {
  return select({ ...state, rows }, state.selected);
}

export function press(state: LiveState, key: LiveKey): Pressed {
  if (key === 'ctrl-c') return { state, effect: { kind: 'quit', status: INTERRUPTED } };
  return MODES[state.mode](state, key);
}

type Mode = (state: LiveState, key: LiveKey) => Pressed;

const MODES: Readonly<Record<LiveState['mode'], Mode>> = {
  table: pressInTable,
  search: pressInSearch,
  confirm: pressInConfirm,
  follow: pressInFollow,
};

function pressInTable(state: LiveState, key: LiveKey): Pressed {
  const { selected } = state;
  switch (key) {
    case 'q':
      return { state, effect: { kind: 'quit', status: 0 } };
    case 'up':
      return stay(move(state, -1));
    case 'down':
      return stay(move(state, 1));
    case 'page-up':
      return stay(move(state, -PAGE));
    case 'page-down':
      return stay(move(state, PAGE));
    case '/':
      return stay({ ...state, mode: 'search', message: '' });
    case 'escape':
      return stay(select({ ...state, query: '', message: '' }, selected));
    case 'f':
    case 'enter':
      return stay(selected === null ? state : { ...state, mode: 'follow', message: '' });
    case 'k':
      return stay(selected === null ? state : { ...state, mode: 'confirm', message: '' });
    default:
      return stay(state);
  }
}

function pressInSearch(state: LiveState, key: LiveKey): Pressed {
  if (key === 'enter') return stay({ ...state, mode: 'table' });
  if (key === 'escape') return stay(select({ ...state, mode: 'table', query: '' }, state.selected));
  if (key === 'backspace') return stay(search(state, [...state.query].slice(0, -1).join('')));
  return stay([...key].length === 1 ? search(state, state.query + key) : state);
}

function pressInConfirm(state: LiveState, key: LiveKey): Pressed {
  const back: LiveState = { ...state, mode: 'table' };
  if (key !== 'y' || state.selected === null) return stay({ ...back, message: 'Not stopped.' });
  return { state: { ...back, message: 'Stopping …' }, effect: { kind: 'stop', id: state.selected } };
}

function pressInFollow(state: LiveState, key: LiveKey): Pressed {
  if (key === 'k') return stay({ ...state, mode: 'confirm' });
  return stay(['q', 'f', 'escape', 'enter'].includes(key) ? { ...state, mode: 'table' } : state);
}

function search(state: LiveState, query: string): LiveState {
  return select({ ...state, query }, state.selected);
}

function move(state: LiveState, by: number): LiveState {
  const rows = visibleRows(state);
  const at = rows.findIndex(({ id }) => id === state.selected);
  const next = Math.max(0, Math.min(rows.length - 1, at + by));
  return { ...state, selected: rows[next]?.id ?? null };
}

/** One that is not shown cannot be selected: the first one is, then. */
function select(state: LiveState, id: string | null): LiveState {
  const rows = visibleRows(state);
  const found = rows.find((row) => row.id === id) ?? rows[0];
  return { ...state, selected: found?.id ?? null };
}

function stay(state: LiveState): Pressed {
  return { state, effect: NONE };
}
