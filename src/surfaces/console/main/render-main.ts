import type { OpenQuestion } from '../../index.ts';
import type { Transcript } from './cards/transcript.ts';
import { renderQuestion } from './panels/question.ts';
import type { Prompt } from './prompt/prompt.ts';
import { renderPrompt } from './prompt/render-prompt.ts';
import type { FrameSize, Picture } from './screen/frame.ts';
import { type Row, span } from './screen/row.ts';
import { renderStatus, type StatusFacts } from './status.ts';

export interface MainState {
  readonly transcript: Transcript;
  readonly prompt: Prompt;
  readonly question: OpenQuestion | null;
  readonly chosen: number | null;
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
  const asked = state.question === null ? [] : [...renderQuestion(state.question, columns), []];
  const below = [...asked, ...prompt.rows].slice(-(rows - 2));
  const room = Math.max(0, rows - 1 - below.length);
  const all = state.transcript.rows({ columns, now: state.now, chosen: state.chosen });
  const scroll = Math.max(0, Math.min(state.scroll, all.length - room));
  const shown = all.slice(Math.max(0, all.length - room - scroll), all.length - scroll);
  const body: readonly Row[] = [...blank(room - shown.length), ...withMark(shown, scroll)];
  const top = body.length + (below.length - prompt.rows.length);
  return {
    rows: [...body, ...below, renderStatus(state.status, columns)],
    cursor: { row: top + prompt.cursor.row, column: Math.min(columns - 1, prompt.cursor.column) },
    scroll,
  };
}

function withMark(shown: readonly Row[], scroll: number): readonly Row[] {
  if (scroll === 0) return shown;
  return [...shown.slice(0, -1), [span(`  ↓ ${scroll.toLocaleString('en')} more rows below (pgdn)`, 'warn')]];
}

function blank(count: number): readonly Row[] {
  return Array.from({ length: Math.max(0, count) }, (): Row => []);
}
