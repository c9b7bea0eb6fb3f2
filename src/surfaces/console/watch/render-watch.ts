import type { LogEntry, OpenQuestion } from '../../../index.ts';
import { linesOf, renderCard } from '../cards/render-card.ts';
import type { QuestionFocus } from '../main/questions.ts';
import { keyRow } from '../panels/list.ts';
import { renderQuestion } from '../panels/question.ts';
import type { FrameSize } from '../screen/frame.ts';
import type { Scene } from '../screen/painter.ts';
import { type Row, span, spread } from '../screen/row.ts';
import type { Followed } from './followed.ts';

export interface WatchState {
  readonly entries: readonly LogEntry[];
  readonly followed: Followed;
  readonly chosen: string | null;
  readonly question: OpenQuestion | null;
  readonly focus: QuestionFocus | null;
  readonly questions: number;
}

/** What agents do, the newest at the bottom, and what they ask below. */
export function renderWatch(state: WatchState, { columns, rows }: FrameSize): Scene {
  const { entries, followed, question, focus } = state;
  const asked =
    question === null
      ? []
      : [...renderQuestion(question, { columns, focus, who: linesOf(question.session)[0] ?? '' }), []];
  const room = Math.max(0, rows - 3 - asked.length);
  const all = entries.flatMap((entry) => renderEntry(entry, state, columns));
  const end = endOf(all, room, state.chosen);
  const shown = all.slice(Math.max(0, end - room), end).map(({ row }) => row);
  const empty: Row[] = all.length === 0 ? EMPTY : [];
  const blank = Array.from({ length: Math.max(0, room - shown.length - empty.length) }, (): Row => []);
  return {
    rows: [
      renderTop(state, columns),
      [],
      ...empty,
      ...shown,
      ...blank,
      ...asked.slice(-(rows - 3)),
      foot(state),
    ],
    cursor: null,
    spins: followed.isLive(entries),
  };
}

const EMPTY: Row[] = [
  [span('   Nothing yet.', 'output')],
  [span('   What agents run on this machine through nacre appears here as they do it.', 'dim')],
];

/** The chosen one is on the screen; without one, the newest are. */
function endOf(all: readonly { readonly id: string }[], room: number, chosen: string | null): number {
  if (chosen === null) return all.length;
  const last = all.findLastIndex(({ id }) => id === chosen);
  return last < 0 ? all.length : Math.max(Math.min(all.length, room), last + 1);
}

function renderEntry(
  entry: LogEntry,
  { followed, chosen }: WatchState,
  columns: number,
): { readonly id: string; readonly row: Row }[] {
  const id = idOf(entry);
  const isChosen = id === chosen;
  const card = followed.toCard(entry, isChosen);
  const time = new Date(entry.time).toTimeString().slice(0, 8);
  const head: Row = [
    span(isChosen ? '▌' : ' ', 'accent'),
    span(`  ${time}  `, 'dim'),
    span(linesOf(entry.session)[0] ?? '', 'accent'),
    span(`  ${linesOf(entry.cwd)[0] ?? ''}`, 'dim'),
  ];
  return [head, ...renderCard(card, { columns, now: Date.now(), isChosen })].map((row) => ({ id, row }));
}

function renderTop({ entries, followed, questions }: WatchState, columns: number): Row {
  const sessions = new Set(entries.map(({ session }) => session)).size;
  const live = followed.live(entries);
  return spread(
    [span('   nacre watch', 'key')],
    [
      ...(questions > 0 ? [span(`${questions} asked   `, 'alert')] : []),
      ...(live > 0 ? [span(`${live} running   `, 'key')] : []),
      span(`${sessions} ${sessions === 1 ? 'session' : 'sessions'} `, 'status'),
    ],
    columns,
  );
}

function foot({ question, focus }: WatchState): Row {
  if (focus !== null) return keyRow('esc', 'leave the question');
  const answers = question === null ? [] : ['ctrl-y', 'answer'];
  return keyRow(...answers, '↑↓', 'choose', 'enter', 'full output', 'b', 'jobs', 'q', 'leave');
}

export function idOf({ runId, time, command }: LogEntry): string {
  return runId ?? `${time} ${command}`;
}
