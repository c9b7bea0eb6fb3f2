import type { Always, OpenQuestion } from '../../../index.ts';
import { renderAge } from '../../table/render-table.ts';
import { markSpans, visible } from '../mark-spans.ts';

/** A question for people: which, whose, how long it still waits, what it is about and why. */
export function renderQuestion(question: OpenQuestion, now: number = Date.now()): string {
  const { id, session, cwd, command, spans, reason, always, expiresAt } = question;
  const left = renderAge(now, Math.max(now, expiresAt));
  const lines = [
    visible(`${id}  session ${session}  in ${cwd}  ${left} left`),
    ...markSpans(command, spans).map((line) => `  ${line}`.trimEnd()),
    ...`why: ${reason}`.split('\n').map((line) => `  ${visible(line)}`),
    ...(always.length === 0 ? [] : [`  always: ${always.map(renderAlways).join(', ')}`]),
  ];
  return `${lines.join('\n')}\n`;
}

/** What "always" allows: `git log …`, or the very words. */
export function renderAlways({ prefix, exact }: Always): string {
  return visible(`${prefix.join(' ')}${exact === true ? '' : ' …'}`);
}
