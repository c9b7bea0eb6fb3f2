import type { CallResult } from '../../../index.ts';
import { clip } from '../../table/clip.ts';
import { type Row, type Span, span } from '../screen/row.ts';
import { wrapWords } from '../screen/width.ts';
import { renderDuration, renderSize } from './amounts.ts';
import { type CallCard, isOver } from './card.ts';

/** How it ended, how long it took, its limit, what was cut and where the rest is. */
export function renderFooter(card: CallCard, { room, now }: { room: number; now: number }): Row[] {
  if (card.problem !== null) return renderProblem(card.problem, room);
  const time = span(renderDuration((card.endedAt ?? now) - card.startedAt), 'dim');
  if (!isOver(card)) return [join([span(wordOf(card), toneOf(card)), time, ...hintOf(card)])];
  const { result } = card;
  const facts: Span[] = [howOf(card), time];
  if (result !== null) facts.push(...limitOf(result), ...jobOf(result));
  if (card.isPrivate) facts.push(span('not in the transcript', 'dim'));
  const cut = result === null ? null : cutOf(result);
  const notes = (result?.run.notes ?? []).flatMap((note) => wrapWords(note, room));
  return [
    join(facts),
    ...(cut === null ? [] : [[span(' '), span(clip(cut, room), 'warn')]]),
    ...notes.map((text): Row => [span(' '), span(text, 'dim')]),
  ];
}

/** What was wrong, and, less loud, what more there is to say of it. */
function renderProblem(problem: string, room: number): Row[] {
  return problem
    .split('\n')
    .flatMap((line, at) =>
      wrapWords(line, room).map((text): Row => [span(' '), span(text, at === 0 ? 'bad' : 'dim')]),
    );
}

function wordOf({ state }: CallCard): string {
  return state === 'asking' ? 'waits for your word' : 'running';
}

function toneOf({ state }: CallCard): 'warn' | 'accent' {
  return state === 'asking' ? 'warn' : 'accent';
}

function hintOf({ state, canStop }: CallCard): Span[] {
  return state === 'running' && canStop ? [span('esc stops', 'dim')] : [];
}

function howOf({ state, result, ending }: CallCard): Span {
  if (state === 'cancelled') return span('cancelled', 'warn');
  const run = ending ?? result?.run;
  if (run === undefined || run.status === 'refused') return span('refused', 'bad');
  if (run.status === 'aborted') return span('cancelled', 'warn');
  if (run.status === 'timed_out') return span('time limit', 'bad');
  if (run.status === 'running') return span('goes on as a job', 'accent');
  if (run.status === 'lost') return span('failed: nobody saw its end', 'bad');
  if (run.signal !== null) return span(`ended by ${run.signal}`, 'bad');
  return span(`exit ${run.exitCode}`, run.exitCode === 0 ? 'good' : 'bad');
}

function limitOf({ details }: CallResult): Span[] {
  const { timeoutSeconds, timeoutDisabled } = details as {
    timeoutSeconds?: number;
    timeoutDisabled?: boolean;
  };
  if (timeoutDisabled) return [span('no limit', 'dim')];
  if (timeoutSeconds === undefined) return [];
  const isLong = timeoutSeconds >= 7_200 && timeoutSeconds % 3_600 === 0;
  return [span(isLong ? `limit ${timeoutSeconds / 3_600} h` : `limit ${timeoutSeconds} s`, 'dim')];
}

function jobOf({ run }: CallResult): Span[] {
  return run.job === undefined ? [] : [span(`job ${run.job.id}`, 'dim')];
}

/** The one line that warns: something is not shown, and there it is. */
function cutOf({ run: { output, artifact } }: CallResult): string | null {
  if (output.omitted === null) return null;
  const { lines, bytes } = output.omitted;
  const where = artifact === null ? 'not kept' : `${artifact} (ctrl-g)`;
  return `⚠ ${lines.toLocaleString('en')} lines, ${renderSize(bytes)} not shown: ${where}`;
}

function join(facts: readonly Span[]): Row {
  return [span(' '), ...facts.flatMap((fact, at) => (at === 0 ? [fact] : [span(' · ', 'dim'), fact]))];
}
