import type { CallResult } from '../../../index.ts';
import { renderDuration, renderRoundedSize } from '../../rendering/amounts.ts';
import { toPlainLines } from '../../rendering/printable.ts';
import { clipText, wrapText, wrapWords } from '../../rendering/text-width.ts';
import { type StyledRow, type StyledSpan, span, type Tone } from '../screen/styled-row.ts';

/** The state of a call. `cancelled`: stopped by the user. */
export type CardState = 'asking' | 'running' | 'ended' | 'cancelled' | 'failed';

/** One call in the transcript. */
export interface CallCard {
  readonly kind: 'call';
  /** `tool`: run with the options for a model. `person`: run with `!`. */
  readonly by: 'tool' | 'person';
  /** Excluded from the saved transcript. */
  readonly isPrivate: boolean;
  readonly command: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly state: CardState;
  /** The end of the output so far; after the call all output that is shown. */
  readonly output: string;
  readonly result: CallResult | null;
  /** The exit status of a job, or of a call without a result. */
  readonly ending: Pick<CallResult['run'], 'status' | 'exitCode' | 'signal'> | null;
  /** Why the call could not be run. */
  readonly problem: string | null;
  readonly isExpanded: boolean;
  /** Whether this console can stop the call. */
  readonly canStop: boolean;
}

/** A message of the console. */
export interface NoteCard {
  readonly kind: 'note';
  readonly text: string;
  readonly tone: 'dim' | 'warn' | 'bad' | 'accent';
}

export type Card = CallCard | NoteCard;

export function isFinished({ state }: CallCard): boolean {
  return state === 'ended' || state === 'cancelled' || state === 'failed';
}

/** Renders the exit status, duration, time limit and the location of omitted output. */
export function renderFooter(card: CallCard, { room, now }: { room: number; now: number }): StyledRow[] {
  if (card.problem !== null) return renderProblem(card.problem, room);
  const time = span(renderDuration((card.endedAt ?? now) - card.startedAt), 'dim');
  if (!isFinished(card))
    return [joinFacts([span(stateLabel(card), stateTone(card)), time, ...renderStopHint(card)])];
  const { result } = card;
  const facts: StyledSpan[] = [renderExit(card), time];
  if (result !== null) facts.push(...renderTimeLimit(result), ...renderJobId(result));
  if (card.isPrivate) facts.push(span('not in the transcript', 'dim'));
  const cut = result === null ? null : renderOmitted(result);
  const notes = (result?.run.notes ?? []).flatMap((note) => wrapWords(note, room));
  return [
    joinFacts(facts),
    ...(cut === null ? [] : [[span(' '), span(clipText(cut, room), 'warn')]]),
    ...notes.map((text): StyledRow => [span(' '), span(text, 'dim')]),
  ];
}

/** Renders the first line of a problem highlighted and the rest dimmed. */
function renderProblem(problem: string, room: number): StyledRow[] {
  return problem
    .split('\n')
    .flatMap((line, at) =>
      wrapWords(line, room).map((text): StyledRow => [span(' '), span(text, at === 0 ? 'bad' : 'dim')]),
    );
}

function stateLabel({ state }: CallCard): string {
  return state === 'asking' ? 'waiting for approval' : 'running';
}

function stateTone({ state }: CallCard): 'warn' | 'accent' {
  return state === 'asking' ? 'warn' : 'accent';
}

function renderStopHint({ state, canStop }: CallCard): StyledSpan[] {
  return state === 'running' && canStop ? [span('esc stops', 'dim')] : [];
}

function renderExit({ state, result, ending }: CallCard): StyledSpan {
  if (state === 'cancelled') return span('cancelled', 'warn');
  const run = ending ?? result?.run;
  if (run === undefined || run.status === 'refused') return span('refused', 'bad');
  if (run.status === 'aborted') return span('cancelled', 'warn');
  if (run.status === 'timed_out') return span('time limit', 'bad');
  if (run.status === 'running') return span('continues as a job', 'accent');
  if (run.status === 'lost') return span('failed: exit status unknown', 'bad');
  if (run.signal !== null) return span(`killed by ${run.signal}`, 'bad');
  return span(`exit ${run.exitCode}`, run.exitCode === 0 ? 'good' : 'bad');
}

function renderTimeLimit({ details }: CallResult): StyledSpan[] {
  const { timeoutSeconds, timeoutDisabled } = details as {
    timeoutSeconds?: number;
    timeoutDisabled?: boolean;
  };
  if (timeoutDisabled) return [span('no limit', 'dim')];
  if (timeoutSeconds === undefined) return [];
  const isLong = timeoutSeconds >= 7_200 && timeoutSeconds % 3_600 === 0;
  return [span(isLong ? `limit ${timeoutSeconds / 3_600} h` : `limit ${timeoutSeconds} s`, 'dim')];
}

function renderJobId({ run }: CallResult): StyledSpan[] {
  return run.job === undefined ? [] : [span(`job ${run.job.id}`, 'dim')];
}

/** Names the omitted part and the artifact. */
function renderOmitted({ run: { output, artifact } }: CallResult): string | null {
  if (output.omitted === null) return null;
  const { lines, bytes } = output.omitted;
  const where = artifact === null ? 'not stored' : `${artifact} (ctrl-g)`;
  return `⚠ ${lines.toLocaleString('en')} lines, ${renderRoundedSize(bytes)} not shown: ${where}`;
}

function joinFacts(facts: readonly StyledSpan[]): StyledRow {
  return [span(' '), ...facts.flatMap((fact, at) => (at === 0 ? [fact] : [span(' · ', 'dim'), fact]))];
}

/** Rows of a collapsed tool call, and lines of a collapsed `!` command. */
const TOOL_CALL_ROWS = 10;
const PERSON_CALL_LINES = 20;

/** Longer lines are clipped. */
const MAX_LINE_LENGTH = 4_000;

/** Columns before the text: selection mark, symbol, space. */
const MARGIN = 3;

export interface CardLayout {
  readonly columns: number;
  readonly now: number;
  /** Whether the card is selected. */
  readonly isChosen: boolean;
}

/** Renders a card, followed by an empty row. */
export function renderCard(card: Card, view: CardLayout): StyledRow[] {
  const room = Math.max(1, view.columns - MARGIN);
  if (card.kind === 'note') return [...renderNote(card.text, card.tone, room), []];
  const bar: StyledSpan = span(view.isChosen ? '▌' : ' ', 'accent');
  const rows = [
    ...renderHead(card, room).map(
      (row, at): StyledRow => [at === 0 ? renderStateMark(card, view.now) : span(' '), ...row],
    ),
    ...[...renderBody(card, room), ...renderFooter(card, { room, now: view.now })].map(
      (row): StyledRow => [span(' '), ...row],
    ),
  ];
  return [...rows.map((row): StyledRow => [bar, ...row]), []];
}

function renderNote(text: string, tone: Tone, room: number): StyledRow[] {
  return toPlainLines(text).flatMap((line) =>
    wrapWords(line, room).map((row): StyledRow => [span(' '.repeat(MARGIN)), span(row, tone)]),
  );
}

/** Renders the command; `!` commands have their own symbol. */
function renderHead(card: CallCard, room: number): StyledRow[] {
  const sign = card.by === 'tool' ? '' : card.isPrivate ? '!!' : '!';
  return toPlainLines(`${sign}${card.command}`)
    .flatMap((line) => wrapText(line, room))
    .map((text, at): StyledRow => {
      const lead = at === 0 ? sign : '';
      return [span(' '), span(lead, 'accent'), span(text.slice(lead.length), 'strong')];
    });
}

const SPINNER = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
const SPIN_MS = 90;

function renderStateMark(card: CallCard, now: number): StyledSpan {
  if (card.state === 'asking') return span('?', 'warn');
  if (!isFinished(card)) return span(SPINNER[Math.floor(now / SPIN_MS) % SPINNER.length] ?? '•', 'accent');
  if (card.state === 'cancelled') return span('◌', 'warn');
  if (card.result?.run.status === 'running' && card.ending === null) return span('↗', 'accent');
  const failed = card.ending === null ? card.result?.isError : card.ending.exitCode !== 0;
  return card.state === 'failed' || failed ? span('✗', 'bad') : span('✓', 'good');
}

function renderBody(card: CallCard, room: number): StyledRow[] {
  const lines = toPlainLines(card.output).map((line) =>
    line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}…` : line,
  );
  const kept = card.by === 'person' && !card.isExpanded ? lines.slice(-PERSON_CALL_LINES) : lines;
  const rows = kept.flatMap((line) => wrapText(line, room));
  const shown = card.by === 'tool' && !card.isExpanded ? rows.slice(-TOOL_CALL_ROWS) : rows;
  const hidden = rows.length - shown.length + (lines.length - kept.length);
  const what = hidden === 1 ? 'line' : 'lines';
  const more: StyledRow[] =
    hidden > 0 ? [[span(' '), span(`… ${hidden.toLocaleString('en')} ${what} above (ctrl-o)`, 'dim')]] : [];
  return [...more, ...shown.map((text): StyledRow => [span(' '), span(text, outputTone(card))])];
}

function outputTone({ output, result }: CallCard): Tone {
  return result !== null && output === '(no output)' ? 'dim' : 'output';
}
