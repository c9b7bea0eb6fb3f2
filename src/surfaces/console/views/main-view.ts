import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { OpenQuestion } from '../../../index.ts';
import type { Prompt } from '../prompt/prompt.ts';
import { renderPrompt } from '../prompt/render-prompt.ts';
import { FIRST_STEPS } from '../prompt/slash-commands.ts';
import type { ScreenContent, ScreenSize } from '../screen/frame-renderer.ts';
import { justifyRow, type StyledRow, span } from '../screen/styled-row.ts';
import { type QuestionFocus, renderApprovalQuestion } from './approval-questions.ts';
import { renderHelpLines } from './help-panel.ts';
import { blankRows } from './panel.ts';
import type { Transcript } from './transcript.ts';

export interface StatusLine {
  /** The host that runs commands; `null`: the local host. */
  readonly host: string | null;
  readonly cwd: string;
  readonly home: string;
  readonly branch: string | null;
  readonly liveJobs: number;
  readonly running: number;
  readonly questions: number;
}

/** Renders the status line: location on the left, activity on the right. */
export function renderStatusLine(facts: StatusLine, columns: number): StyledRow {
  const { host, cwd, home, branch, liveJobs, running, questions } = facts;
  const place =
    home !== '' && (cwd === home || cwd.startsWith(`${home}/`)) ? `~${cwd.slice(home.length)}` : cwd;
  const left: StyledRow = [
    ...(host === null ? [] : [span(`   ${host}`, 'key')]),
    span(`   ${place}`, 'status'),
    ...(branch === null ? [] : [span(`  ⎇ ${branch}`, 'status')]),
  ];
  const news: StyledRow = [
    ...(questions > 0 ? [span(`${questions} pending   `, 'alert')] : []),
    ...(running > 0 ? [span(`${running} running   `, 'key')] : []),
    ...(liveJobs > 0 ? [span(`${liveJobs} ${liveJobs === 1 ? 'job' : 'jobs'}   `, 'key')] : []),
    span('/help ', 'status'),
  ];
  return justifyRow(left, news, columns);
}

/** The checked out branch, read from the Git files without starting a program. */
export function readGitBranch(cwd: string): string | null {
  const git = findGitDirectory(cwd);
  if (git === null) return null;
  try {
    const head = readFileSync(join(git, 'HEAD'), 'utf8').trim();
    return head.startsWith('ref: refs/heads/') ? head.slice('ref: refs/heads/'.length) : head.slice(0, 8);
  } catch {
    return null;
  }
}

function findGitDirectory(cwd: string): string | null {
  for (let directory = cwd; ; directory = dirname(directory)) {
    const path = join(directory, '.git');
    try {
      if (statSync(path).isDirectory()) return path;
      // In a worktree or submodule `.git` is a file with the path.
      const [, target] = /^gitdir: (.+)$/m.exec(readFileSync(path, 'utf8')) ?? [];
      return target === undefined ? null : resolve(directory, target);
    } catch {
      if (dirname(directory) === directory) return null;
    }
  }
}

export interface MainViewState {
  readonly version: string;
  readonly transcript: Transcript;
  readonly prompt: Prompt;
  readonly question: OpenQuestion | null;
  readonly focus: QuestionFocus | null;
  readonly chosen: number | null;
  /** Whether the selected call must be scrolled into view. */
  readonly needsScroll: boolean;
  /** Rows above the end. */
  readonly scroll: number;
  readonly now: number;
  readonly status: StatusLine;
}

export interface MainViewContent extends ScreenContent {
  /** Limited to the available rows. */
  readonly scroll: number;
}

/** Renders the transcript, the questions, the prompt and the status line from top to bottom. */
export function renderMainView(state: MainViewState, { columns, rows }: ScreenSize): MainViewContent {
  const prompt = renderPrompt(state.prompt, columns);
  const { question, focus } = state;
  const asked = question === null ? [] : [...renderApprovalQuestion(question, { columns, focus }), []];
  const below = [...asked, ...prompt.rows].slice(-(rows - 2));
  const room = Math.max(0, rows - 1 - below.length);
  const all = renderTranscriptRows(state, columns);
  const scroll = Math.max(0, Math.min(toScrollOffset(state, { columns, room }), all.length - room));
  const shown = all.slice(Math.max(0, all.length - room - scroll), all.length - scroll);
  const body: readonly StyledRow[] = [...blankRows(room - shown.length), ...withScrollHint(shown, scroll)];
  const top = body.length + (below.length - prompt.rows.length);
  return {
    rows: [...body, ...below, renderStatusLine(state.status, columns)],
    cursor: { row: top + prompt.cursor.row, column: Math.min(columns - 1, prompt.cursor.column) },
    scroll,
  };
}

function renderTranscriptRows(
  { transcript, chosen, now, version }: MainViewState,
  columns: number,
): readonly StyledRow[] {
  if (transcript.ids.length > 0) return transcript.rows({ columns, now, chosen });
  const name: StyledRow = [span('   '), span('nacre', 'title'), span(` ${version}`, 'dim')];
  return [name, [], ...renderHelpLines(FIRST_STEPS, columns), []];
}

/** The scroll offset that shows the selected call, or its end when it is too large. */
function toScrollOffset(state: MainViewState, { columns, room }: { columns: number; room: number }): number {
  const { transcript, chosen, scroll, needsScroll, now } = state;
  if (chosen === null || !needsScroll) return scroll;
  const { fromStart, fromEnd } = transcript.distanceToEnd(chosen, { columns, now, chosen });
  return Math.max(Math.min(fromStart - room, fromEnd), Math.min(scroll, fromEnd));
}

function withScrollHint(shown: readonly StyledRow[], scroll: number): readonly StyledRow[] {
  if (scroll === 0) return shown;
  return [
    ...shown.slice(0, -1),
    [span(`   ↓ ${scroll.toLocaleString('en')} more rows below (pgdn)`, 'warn')],
  ];
}
