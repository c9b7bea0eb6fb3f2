import type { Artifacts, CallStatus, JobInfo, Jobs, LogEntry, OpenQuestion } from '../../../index.ts';
import { toPlainLines } from '../../rendering/printable.ts';
import type { ScreenSize } from '../screen/frame-renderer.ts';
import type { ScreenScene } from '../screen/screen-painter.ts';
import { justifyRow, type StyledRow, span } from '../screen/styled-row.ts';
import { type QuestionFocus, renderApprovalQuestion } from './approval-questions.ts';
import { type CallCard, renderCard } from './call-card.ts';
import { renderKeyHints } from './panel.ts';

/** Output lines shown per call. */
const TAIL_LINES = 10;

interface OutputFacts {
  readonly text: string;
  /** Whether the output is complete. */
  readonly isLast: boolean;
  /** The job of the run, if it became one. */
  readonly job: JobInfo | null;
}

/** The logged commands as cards, with the end of their output. */
export class LoggedCalls {
  readonly #artifacts: Artifacts;
  readonly #jobs: Jobs;
  readonly #facts = new Map<string, OutputFacts>();

  constructor({ artifacts, jobs }: { readonly artifacts: Artifacts; readonly jobs: Jobs }) {
    this.#artifacts = artifacts;
    this.#jobs = jobs;
  }

  /** The number of running commands. */
  countRunning(entries: readonly LogEntry[]): number {
    return entries.filter((entry) => this.#isRunning(entry)).length;
  }

  hasRunning(entries: readonly LogEntry[]): boolean {
    return entries.some((entry) => this.#isRunning(entry));
  }

  /** Reads new output of running commands, and once after they have ended. */
  async readOutputs(entries: readonly LogEntry[]): Promise<void> {
    const ids = new Set(entries.map(({ runId }) => runId));
    for (const id of this.#facts.keys()) if (!ids.has(id)) this.#facts.delete(id);
    const open = entries.filter(({ runId }) => runId !== null && !this.#facts.get(runId)?.isLast);
    // The process that made a call may have died without logging its end.
    const jobs = new Map(open.length === 0 ? [] : this.#jobs.list().map((job) => [job.id, job]));
    for (const { runId, status } of open) {
      if (runId === null) continue;
      const job = jobs.get(runId) ?? null;
      const isLast = job === null ? isFinalStatus(status) : job.state !== 'running';
      this.#facts.set(runId, { text: await this.#tail(runId), isLast, job });
    }
  }

  toCard(entry: LogEntry, isExpanded: boolean): CallCard {
    const startedAt = Date.parse(entry.time);
    const refusal = entry.verdict === 'allow' ? null : (entry.error ?? 'refused');
    const facts = entry.runId === null ? undefined : this.#facts.get(entry.runId);
    const ending = toExit(entry, facts?.job ?? null);
    return {
      kind: 'call',
      by: 'tool',
      isPrivate: false,
      command: entry.command ?? '(no command)',
      startedAt,
      endedAt: facts?.job?.endedAt ?? (entry.durationMs === null ? null : startedAt + entry.durationMs),
      state: refusal === null ? toCardState(ending) : 'failed',
      output: facts?.text ?? '',
      result: null,
      ending,
      problem: refusal,
      isExpanded,
      canStop: false,
    };
  }

  #isRunning({ runId, status, verdict }: LogEntry): boolean {
    if (verdict !== 'allow') return false;
    const facts = runId === null ? undefined : this.#facts.get(runId);
    return facts === undefined ? !isFinalStatus(status) : !facts.isLast;
  }

  async #tail(runId: string): Promise<string> {
    try {
      return (await this.#artifacts.open(runId).tail(TAIL_LINES)).text;
    } catch {
      return '';
    }
  }
}

/** A call that continues as a job has not ended. */
function isFinalStatus(status: CallStatus | null): boolean {
  return status !== null && status !== 'running';
}

/** The exit status of the job, otherwise that of the log; `null` while it runs. */
function toExit(entry: LogEntry, job: JobInfo | null): CallCard['ending'] {
  if (job?.state === 'running') return null;
  const { status, exitCode, signal } = job ?? entry;
  return status === null || !isFinalStatus(status) ? null : { status, exitCode, signal };
}

function toCardState(ending: CallCard['ending']): CallCard['state'] {
  if (ending === null) return 'running';
  return ending.status === 'aborted' ? 'cancelled' : 'ended';
}

export interface WatchViewState {
  readonly entries: readonly LogEntry[];
  readonly calls: LoggedCalls;
  readonly chosen: string | null;
  readonly question: OpenQuestion | null;
  readonly focus: QuestionFocus | null;
  readonly questions: number;
}

/** Renders the commands of all agents, newest at the bottom, and pending questions below. */
export function renderWatch(state: WatchViewState, { columns, rows }: ScreenSize): ScreenScene {
  const { entries, calls, question, focus } = state;
  const asked =
    question === null
      ? []
      : [
          ...renderApprovalQuestion(question, {
            columns,
            focus,
            askedBy: toPlainLines(question.session)[0] ?? '',
          }),
          [],
        ];
  const room = Math.max(0, rows - 3 - asked.length);
  const all = entries.flatMap((entry) => renderEntry(entry, state, columns));
  const end = lastVisibleRow(all, room, state.chosen);
  const shown = all.slice(Math.max(0, end - room), end).map(({ row }) => row);
  const empty: StyledRow[] = all.length === 0 ? EMPTY_HINT : [];
  const blank = Array.from({ length: Math.max(0, room - shown.length - empty.length) }, (): StyledRow => []);
  return {
    rows: [
      renderTop(state, columns),
      [],
      ...empty,
      ...shown,
      ...blank,
      ...asked.slice(-(rows - 3)),
      renderFoot(state),
    ],
    cursor: null,
    spins: calls.hasRunning(entries),
  };
}

const EMPTY_HINT: StyledRow[] = [
  [span('   Nothing yet.', 'output')],
  [span('   Commands that agents run through nacre on this machine appear here.', 'dim')],
];

/** The last row to show: the selected card is visible, otherwise the newest. */
function lastVisibleRow(
  all: readonly { readonly id: string }[],
  room: number,
  chosen: string | null,
): number {
  if (chosen === null) return all.length;
  const last = all.findLastIndex(({ id }) => id === chosen);
  return last < 0 ? all.length : Math.max(Math.min(all.length, room), last + 1);
}

function renderEntry(
  entry: LogEntry,
  { calls, chosen }: WatchViewState,
  columns: number,
): { readonly id: string; readonly row: StyledRow }[] {
  const id = toEntryKey(entry);
  const isChosen = id === chosen;
  const card = calls.toCard(entry, isChosen);
  const time = new Date(entry.time).toTimeString().slice(0, 8);
  const head: StyledRow = [
    span(isChosen ? '▌' : ' ', 'accent'),
    span(`  ${time}  `, 'dim'),
    span(toPlainLines(entry.session)[0] ?? '', 'accent'),
    span(`  ${toPlainLines(entry.cwd)[0] ?? ''}`, 'dim'),
  ];
  return [head, ...renderCard(card, { columns, now: Date.now(), isChosen })].map((row) => ({ id, row }));
}

function renderTop({ entries, calls, questions }: WatchViewState, columns: number): StyledRow {
  const sessions = new Set(entries.map(({ session }) => session)).size;
  const live = calls.countRunning(entries);
  return justifyRow(
    [span('   nacre watch', 'key')],
    [
      ...(questions > 0 ? [span(`${questions} pending   `, 'alert')] : []),
      ...(live > 0 ? [span(`${live} running   `, 'key')] : []),
      span(`${sessions} ${sessions === 1 ? 'session' : 'sessions'} `, 'status'),
    ],
    columns,
  );
}

function renderFoot({ question, focus }: WatchViewState): StyledRow {
  if (focus !== null) return renderKeyHints('esc', 'back');
  const answers = question === null ? [] : ['ctrl-y', 'answer'];
  return renderKeyHints(...answers, '↑↓', 'choose', 'enter', 'full output', 'b', 'jobs', 'q', 'quit');
}

export function toEntryKey({ runId, time, command }: LogEntry): string {
  return runId ?? `${time} ${command}`;
}
