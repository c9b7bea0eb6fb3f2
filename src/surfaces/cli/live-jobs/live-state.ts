import { readKey } from '../../../index.ts';
import type { JobRow } from '../../rendering/job-table.ts';

/** A key as the live table knows it: a character, or the name of one that is none. */
export type LiveKey = string;

const CTRL = 4;

/** What some terminals send for these is another key to others. */
const KEY_ALIASES: Readonly<Record<string, LiveKey>> = { '\n': 'enter', '\b': 'backspace', ' ': ' ' };

const NAMED_KEYS: ReadonlySet<string> = new Set([
  ...['up', 'down', 'page-up', 'page-down', 'home', 'end', 'escape', 'enter', 'backspace'],
]);

/** What a terminal sent, cut into keys; those that mean nothing here are left out. */
export function parseLiveKeys(text: string): LiveKey[] {
  const pieces = text.match(/\x1b(?:\[[0-9;:]*[ -/]*[@-~]|O.)?|[\s\S]/gu) ?? [];
  return pieces.flatMap((piece) => KEY_ALIASES[piece] ?? toLiveKey(piece) ?? []);
}

function toLiveKey(piece: string): LiveKey | null {
  const key = readKey(piece);
  if (key === null || key.event === 'release') return null;
  if (NAMED_KEYS.has(key.name)) return key.modifiers === 0 ? key.name : null;
  if (key.modifiers === CTRL) return key.name === 'c' ? 'ctrl-c' : null;
  return key.text === '' ? null : key.text;
}

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

export interface KeyResult {
  readonly state: LiveState;
  readonly effect: LiveEffect;
}

export const EMPTY_STATE: LiveState = { rows: [], selected: null, mode: 'table', query: '', message: '' };

const NO_EFFECT: LiveEffect = { kind: 'none' };
const INTERRUPTED = 130;
const PAGE_ROWS = 10;

/** The rows that are shown. */
export function visibleRows({ rows, query }: LiveState): readonly JobRow[] {
  const wanted = query.toLowerCase();
  if (wanted === '') return rows;
  return rows.filter((row) => Object.values(row).some((cell) => cell.toLowerCase().includes(wanted)));
}

/** New rows: the selected job stays selected as long as it is there. */
export function updateRows(state: LiveState, rows: readonly JobRow[]): LiveState {
  return selectRow({ ...state, rows }, state.selected);
}

export function handleKey(state: LiveState, key: LiveKey): KeyResult {
  if (key === 'ctrl-c') return { state, effect: { kind: 'quit', status: INTERRUPTED } };
  return KEY_HANDLERS[state.mode](state, key);
}

type KeyHandler = (state: LiveState, key: LiveKey) => KeyResult;

const KEY_HANDLERS: Readonly<Record<LiveState['mode'], KeyHandler>> = {
  table: pressInTable,
  search: pressInSearch,
  confirm: pressInConfirm,
  follow: pressInFollow,
};

function pressInTable(state: LiveState, key: LiveKey): KeyResult {
  const { selected } = state;
  switch (key) {
    case 'q':
      return { state, effect: { kind: 'quit', status: 0 } };
    case 'up':
      return withoutEffect(moveSelection(state, -1));
    case 'down':
      return withoutEffect(moveSelection(state, 1));
    case 'page-up':
      return withoutEffect(moveSelection(state, -PAGE_ROWS));
    case 'page-down':
      return withoutEffect(moveSelection(state, PAGE_ROWS));
    case '/':
      return withoutEffect({ ...state, mode: 'search', message: '' });
    case 'escape':
      return withoutEffect(selectRow({ ...state, query: '', message: '' }, selected));
    case 'f':
    case 'enter':
      return withoutEffect(selected === null ? state : { ...state, mode: 'follow', message: '' });
    case 'k':
      return withoutEffect(selected === null ? state : { ...state, mode: 'confirm', message: '' });
    default:
      return withoutEffect(state);
  }
}

function pressInSearch(state: LiveState, key: LiveKey): KeyResult {
  if (key === 'enter') return withoutEffect({ ...state, mode: 'table' });
  if (key === 'escape')
    return withoutEffect(selectRow({ ...state, mode: 'table', query: '' }, state.selected));
  if (key === 'backspace') return withoutEffect(setQuery(state, [...state.query].slice(0, -1).join('')));
  return withoutEffect([...key].length === 1 ? setQuery(state, state.query + key) : state);
}

function pressInConfirm(state: LiveState, key: LiveKey): KeyResult {
  const back: LiveState = { ...state, mode: 'table' };
  if (key !== 'y' || state.selected === null) return withoutEffect({ ...back, message: 'Not stopped.' });
  return { state: { ...back, message: 'Stopping …' }, effect: { kind: 'stop', id: state.selected } };
}

function pressInFollow(state: LiveState, key: LiveKey): KeyResult {
  if (key === 'k') return withoutEffect({ ...state, mode: 'confirm' });
  return withoutEffect(['q', 'f', 'escape', 'enter'].includes(key) ? { ...state, mode: 'table' } : state);
}

function setQuery(state: LiveState, query: string): LiveState {
  return selectRow({ ...state, query }, state.selected);
}

function moveSelection(state: LiveState, by: number): LiveState {
  const rows = visibleRows(state);
  const at = rows.findIndex(({ id }) => id === state.selected);
  const next = Math.max(0, Math.min(rows.length - 1, at + by));
  return { ...state, selected: rows[next]?.id ?? null };
}

/** One that is not shown cannot be selected: the first one is, then. */
function selectRow(state: LiveState, id: string | null): LiveState {
  const rows = visibleRows(state);
  const found = rows.find((row) => row.id === id) ?? rows[0];
  return { ...state, selected: found?.id ?? null };
}

function withoutEffect(state: LiveState): KeyResult {
  return { state, effect: NO_EFFECT };
}
