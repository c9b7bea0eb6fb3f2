import type { Answer, OpenQuestion } from '../../../index.ts';
import { linesOf } from '../cards/render-card.ts';
import type { Key } from '../keys/key.ts';
import { type Row, span } from '../screen/row.ts';
import { wrap, wrapWords } from '../screen/width.ts';

const ANSWERS: Readonly<Record<string, Answer>> = { y: 'once', a: 'always', n: 'no' };

/** What a key answers; `null` for one that does not. */
export function answerOf({ name, text }: Key, { always }: OpenQuestion): Answer | null {
  if (name === 'escape') return 'no';
  const answer = ANSWERS[text.toLowerCase()] ?? null;
  return answer === 'always' && always.length === 0 ? null : answer;
}

export interface QuestionView {
  readonly columns: number;
  /** Whether keys go to a line that is being written. */
  readonly isWriting: boolean;
}

/** A command that waits for a person's word: what of it needs one is underlined. */
export function renderQuestion(question: OpenQuestion, { columns, isWriting }: QuestionView): Row[] {
  const room = Math.max(1, columns - EDGE.length);
  const command = underlined(question).flatMap(([line, marks]) => {
    const rows = wrap(line, room);
    let at = 0;
    return rows.flatMap((row): Row[] => {
      const under = marks.slice(at, at + row.length);
      at += row.length;
      const plain: Row = [span(EDGE, 'warn'), span(row, 'strong')];
      return under.trim() === '' ? [plain] : [plain, [span(EDGE, 'warn'), span(under, 'warn')]];
    });
  });
  const reason = wrapWords(question.reason, room).map(
    (row): Row => [span(EDGE, 'warn'), span(row, 'output')],
  );
  const keys = isWriting
    ? [span(EDGE, 'warn'), span('clear the line (ctrl-c) to answer', 'dim')]
    : renderKeys(question);
  return [[span(EDGE, 'warn'), span('May this run?', 'warn')], ...command, ...reason, keys];
}

/** The edge of a question: what is inside waits for an answer. */
const EDGE = ' ┃ ';

function renderKeys({ always }: OpenQuestion): Row {
  const rules = always.map(({ prefix, exact }) => `${prefix.join(' ')}${exact ? '' : ' …'}`).join(', ');
  return [
    span(EDGE, 'warn'),
    ...[span('y', 'title'), span(' this time   ', 'dim')],
    ...(rules === '' ? [] : [span('a', 'title'), span(` always: ${rules}   `, 'dim')]),
    ...[span('n', 'title'), span(' no', 'dim')],
  ];
}

/** Each line with its marks below. */
function underlined({ command, spans }: OpenQuestion): (readonly [string, string])[] {
  const marks = [...' '.repeat(command.length)];
  for (const { start, end } of spans) marks.fill('‾', start, end);
  let at = 0;
  return command.split('\n').map((line) => {
    const under = marks.slice(at, at + line.length).join('');
    at += line.length + 1;
    return [linesOf(line)[0] ?? '', under] as const;
  });
}
