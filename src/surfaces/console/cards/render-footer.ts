import type { CallResult } from '../../../index.ts';
import { type Row, type Span, span } from '../screen/row.ts';
import { wrap } from '../screen/width.ts';
import { type CallCard, isOver } from './card.ts';

/** How it ended, how long it took, its limit, what was cut and where the rest is. */
export function renderFooter(card: CallCard, { columns, now }: { columns: number; now: number }): Row[] {
  if (card.problem !== null)
    return card.problem
      .split('\n')
      .flatMap((line) =>
        wrap(line, Math.max(1, columns - 4)).map((text): Row => [span('    '), span(text, 'bad')]),
      );
  const seconds = renderSeconds((card.endedAt ?? now) - card.startedAt);
  if (!isOver(card)) return [join([span(wordOf(card), 'accent'), span(seconds, 'dim'), ...hintOf(card)])];
  const { result } = card;
  const facts: Span[] = [howOf(card), span(seconds, 'dim')];
  if (result !== null) facts.push(...limitOf(result), ...jobOf(result));
  if (card.isPrivate) facts.push(span('not in the transcript', 'dim'));
  const rows = [join(facts)];
  const cut = result === null ? null : cutOf(result);
  if (cut !== null) rows.push([span('    '), span(cut, 'warn')]);
  const notes = (result?.run.notes ?? []).flatMap((note) => wrap(note, Math.max(1, columns - 4)));
  return [...rows, ...notes.map((text): Row => [span('    '), span(text, 'dim')])];
}

function wordOf({ state }: CallCard): string {
  if (state === 'arriving') return 'arguments are arriving';
  return state === 'asking' ? 'waits for your word' : 'running';
}

function hintOf({ state, canStop }: CallCard): Span[] {
  return state === 'running' && canStop ? [span('esc stops', 'dim')] : [];
}

function howOf({ state, result, ending }: CallCard): Span {
  if (state === 'cancelled') return span('cancelled', 'warn');
  const run = result?.run ?? ending ?? undefined;
  if (run === undefined || run.status === 'refused') return span('refused', 'bad');
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
  return timeoutSeconds === undefined ? [] : [span(`limit ${timeoutSeconds} s`, 'dim')];
}

function jobOf({ run }: CallResult): Span[] {
  return run.job === undefined ? [] : [span(`job ${run.job.id}`, 'accent')];
}

/** The one line that warns: something is not shown, and there it is. */
function cutOf({ run: { output, artifact } }: CallResult): string | null {
  if (output.omitted === null) return null;
  const { lines, bytes } = output.omitted;
  const where = artifact === null ? 'not kept' : `${artifact} (ctrl-g opens it)`;
  return `⚠ ${lines.toLocaleString('en')} lines, ${bytes.toLocaleString('en')} bytes not shown: ${where}`;
}

function join(facts: readonly Span[]): Row {
  return [span('    '), ...facts.flatMap((fact, at) => (at === 0 ? [fact] : [span(' · ', 'dim'), fact]))];
}

export function renderSeconds(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${Math.floor(seconds % 60)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
