import type { Answer, OpenQuestion } from '../../../index.ts';
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
    ...(always.length === 0 ? [] : [`  always: ${renderAlways(always)}`]),
  ];
  return `${lines.join('\n')}\n`;
}

/** Exactly the words that a lasting answer stores, as shell text. */
export function renderAlways(rules: OpenQuestion['always']): string {
  return rules.map(({ text }) => text).join('; ');
}

/** Where a lasting answer holds; `null` for an answer that stores nothing. */
export function renderScope(answer: Answer, project: string): string | null {
  if (answer === 'always') return 'in this session';
  if (answer === 'project') return visible(`in ${project}`);
  return answer === 'everywhere' ? 'everywhere' : null;
}
