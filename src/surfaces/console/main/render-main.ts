import type { OpenQuestion } from '../../../index.ts';
import type { Transcript } from '../cards/transcript.ts';
import { FIRST_STEPS } from '../orders/help.ts';
import { renderHelpLines } from '../panels/help-panel.ts';
import { renderQuestion } from '../panels/question.ts';
import type { Prompt } from '../prompt/prompt.ts';
import { renderPrompt } from '../prompt/render-prompt.ts';
import type { FrameSize, Picture } from '../screen/frame.ts';
import { type Row, span } from '../screen/row.ts';
import type { QuestionFocus } from './questions.ts';
import { renderStatus, type StatusFacts } from './status.ts';

export interface MainState {
  readonly version: string;
  readonly transcript: Transcript;
  readonly prompt: Prompt;
  readonly question: OpenQuestion | null;
  readonly focus: QuestionFocus | null;
  readonly chosen: number | null;
  /** Whether it must be seen. */
  readonly seeks: boolean;
  /** How many rows we are above the end. */
  readonly scroll: number;
  readonly now: number;
  readonly status: StatusFacts;
}

export interface MainPicture extends Picture {
  /** As far as there is something to scroll to. */
  readonly scroll: number;
}

/** The transcript, what is asked, the prompt and the status, from top to bottom; the newest is always next to the prompt. */
export function renderMain(state: MainState, { columns, rows }: FrameSize): MainPicture {
  const prompt = renderPrompt(state.prompt, columns);
  const { question, focus } = state;
  const asked = question === null ? [] : [...renderQuestion(question, { columns, focus }), []];
  const below = [...asked, ...prompt.rows].slice(-(rows - 2));
  const room = Math.max(0, rows - 1 - below.length);
  const all = rowsAbove(state, columns);
  const scroll = Math.max(0, Math.min(scrollFor(state, { columns, room }), all.length - room));
  const shown = all.slice(Math.max(0, all.length - room - scroll), all.length - scroll);
  const body: readonly Row[] = [...blank(room - shown.length), ...withMark(shown, scroll)];
  const top = body.length + (below.length - prompt.rows.length);
  return {
    rows: [...body, ...below, renderStatus(state.status, columns)],
    cursor: { row: top + prompt.cursor.row, column: Math.min(columns - 1, prompt.cursor.column) },
    scroll,
  };
}

function rowsAbove({ transcript, chosen, now, version }: MainState, columns: number): readonly Row[] {
  if (transcript.ids.length > 0) return transcript.rows({ columns, now, chosen });
  const name: Row = [span('   '), span('nacre', 'title'), span(` ${version}`, 'dim')];
  return [name, [], ...renderHelpLines(FIRST_STEPS, columns), []];
}

/** A call that was just chosen comes to the screen: all of it, or as much of its end as there is room for. */
function scrollFor(state: MainState, { columns, room }: { columns: number; room: number }): number {
  const { transcript, chosen, scroll, seeks, now } = state;
  if (chosen === null || !seeks) return scroll;
  const { fromStart, fromEnd } = transcript.placeOf(chosen, { columns, now, chosen });
  return Math.max(Math.min(fromStart - room, fromEnd), Math.min(scroll, fromEnd));
}

function withMark(shown: readonly Row[], scroll: number): readonly Row[] {
  if (scroll === 0) return shown;
  return [
    ...shown.slice(0, -1),
    [span(`   ↓ ${scroll.toLocaleString('en')} more rows below (pgdn)`, 'warn')],
  ];
}

function blank(count: number): readonly Row[] {
  return Array.from({ length: Math.max(0, count) }, (): Row => []);
}
