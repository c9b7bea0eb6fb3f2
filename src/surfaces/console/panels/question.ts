import { type Answer, columnsOf, type OpenQuestion } from '../../../index.ts';
import { charactersOf } from '../../table/clip.ts';
import { linesOf } from '../cards/render-card.ts';
import type { QuestionFocus } from '../main/questions.ts';
import { type Row, type Span, span } from '../screen/row.ts';
import { wrapWords } from '../screen/width.ts';

export interface QuestionView {
  readonly columns: number;
  /** `null`: keys do not go to the question. */
  readonly focus: QuestionFocus | null;
  /** Who asks, where that is not clear. */
  readonly who?: string;
}

/** A command that waits for a person's word: what of it needs one is underlined. */
export function renderQuestion(question: OpenQuestion, { columns, focus, who }: QuestionView): Row[] {
  const room = Math.max(1, columns - EDGE.length);
  const command = markedLines(question).flatMap((line) =>
    wrapMarked(line, room).map((row): Row => [span(EDGE, 'warn'), ...row]),
  );
  const reason = wrapWords(question.reason, room).map(
    (row): Row => [span(EDGE, 'warn'), span(row, 'output')],
  );
  const keys = renderKeys(question, focus, room).map((row): Row => [span(EDGE, 'warn'), ...row]);
  const asks = who === undefined ? [] : [span(`  ${who}`, 'accent'), span(`  ${question.cwd}`, 'dim')];
  return [[span(EDGE, 'warn'), span('May this run?', 'warn'), ...asks], ...command, ...reason, ...keys];
}

/** The edge of a question: what is inside waits for an answer. */
const EDGE = ' ┃ ';

function renderKeys(question: OpenQuestion, focus: QuestionFocus | null, room: number): Row[] {
  if (focus === null) return [keys('ctrl-y', 'answer')];
  if (focus.storing !== null) return renderStoring(question, focus.storing, room);
  const first = keys('y', 'this time', 'n', 'no', 'esc', 'leave the question');
  if (question.always.length === 0) return [first];
  return [first, keys('a', 'always in this session', 'p', 'in this project', 'e', 'everywhere')];
}

/** Exactly the words that are stored, and where they hold. */
function renderStoring({ always, project }: OpenQuestion, answer: Answer, room: number): Row[] {
  const where =
    answer === 'always' ? 'in this session' : answer === 'project' ? `in ${project}` : 'everywhere';
  const words = always.flatMap(({ text }) => wrapWords(text, room - 2));
  return [
    ...wrapWords(`From now on, ${where}, exactly this may run:`, room).map((row): Row => [span(row, 'warn')]),
    ...words.map((row): Row => [span(`  ${row}`, 'strong')]),
    keys('enter', 'store it and run', 'esc', 'back'),
  ];
}

function keys(...pairs: readonly string[]): Row {
  return pairs.map((text, at) =>
    at % 2 === 0 ? span(at === 0 ? text : `   ${text}`, 'title') : span(` ${text}`, 'dim'),
  );
}

interface Piece {
  readonly text: string;
  readonly isMarked: boolean;
}

/** The command line by line, in pieces that need a word and pieces that do not. */
function markedLines({ command, spans }: OpenQuestion): Piece[][] {
  const marks = Array.from({ length: command.length }, () => false);
  for (const { start, end } of spans) marks.fill(true, start, end);
  let at = 0;
  return command.split('\n').map((line) => {
    const pieces: { text: string; isMarked: boolean }[] = [];
    for (const [index, unit] of line.split('').entries()) {
      const isMarked = marks[at + index] ?? false;
      const last = pieces.at(-1);
      if (last?.isMarked === isMarked) last.text += unit;
      else pieces.push({ text: unit, isMarked });
    }
    at += line.length + 1;
    return pieces;
  });
}

function wrapMarked(pieces: readonly Piece[], room: number): Row[] {
  const rows: Span[][] = [[]];
  let left = room;
  for (const { text, isMarked } of pieces)
    for (const character of charactersOf(linesOf(text)[0] ?? '')) {
      const width = columnsOf(character);
      if (width > left) {
        rows.push([]);
        left = room;
      }
      left -= width;
      rows.at(-1)?.push(span(character, isMarked ? 'marked' : 'strong'));
    }
  return rows.map(joinSpans);
}

/** Neighbours of one tone are one. */
function joinSpans(row: readonly Span[]): Row {
  const joined: Span[] = [];
  for (const each of row) {
    const last = joined.at(-1);
    if (last?.tone === each.tone) joined[joined.length - 1] = span(last.text + each.text, each.tone);
    else joined.push(each);
  }
  return joined;
}
