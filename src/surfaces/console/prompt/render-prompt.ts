import { columnsOf } from '../../../index.ts';
import { charactersOf } from '../../table/clip.ts';
import { type Row, span } from '../screen/row.ts';
import { wrap } from '../screen/width.ts';
import { readPartialCall } from './partial-call.ts';
import type { Prompt } from './prompt.ts';

const MARK = ' ❯ ';
const MOST_CHOICE_ROWS = 6;

export interface PromptPicture {
  readonly rows: readonly Row[];
  readonly cursor: { readonly row: number; readonly column: number };
}

/** The prompt with what belongs to it: a preview of a call that is being written as JSON above, choices below. */
export function renderPrompt(prompt: Prompt, columns: number): PromptPicture {
  const { text, cursor } = prompt.draft;
  const mark = markOf(text, prompt.query);
  const room = Math.max(1, columns - columnsOf(mark));
  const before = charactersOf(text).slice(0, cursor).join('');
  const above = renderPreview(text, room);
  const lines = text.split('\n').flatMap((line) => wrap(line, room));
  const rows = lines.map(
    (line, at): Row => [span(at === 0 ? mark : ' '.repeat(columnsOf(mark)), 'title'), span(line)],
  );
  const rowsBefore = before.split('\n').flatMap((line) => wrap(line, room));
  const last = rowsBefore.at(-1) ?? '';
  const isFull = columnsOf(last) >= room;
  return {
    rows: [
      ...above,
      ...rows,
      ...(isFull && rows.length < rowsBefore.length + 1 ? [[]] : []),
      ...renderChoices(prompt, columns),
    ],
    cursor: {
      row: above.length + rowsBefore.length - 1 + (isFull ? 1 : 0),
      column: columnsOf(mark) + (isFull ? 0 : columnsOf(last)),
    },
  };
}

function markOf(text: string, query: string | null): string {
  if (query !== null) return ` search ${query}: `;
  return text.startsWith('!') ? ' ! ' : MARK;
}

function renderPreview(text: string, room: number): Row[] {
  if (!text.trimStart().startsWith('{')) return [];
  const call = readPartialCall(text);
  if (call === null) return [[span('   a call, as JSON', 'dim')]];
  const where = call.cwd === null ? '' : `  in ${call.cwd}`;
  const words = [...call.env, call.command].join(' ');
  return wrap(`${words.replace(/\n/g, ' ⏎ ')}${where}`, room).map(
    (row): Row => [span('   '), span(row, 'accent')],
  );
}

function renderChoices({ choices, query }: Prompt, columns: number): Row[] {
  if (choices.length === 0 || query !== null) return [];
  const width = Math.min(columns, Math.max(...choices.map(columnsOf)) + 3);
  const perRow = Math.max(1, Math.floor((columns - MARK.length) / width));
  const rows: Row[] = [];
  for (let at = 0; at < choices.length && rows.length < MOST_CHOICE_ROWS; at += perRow)
    rows.push([
      span('   '),
      ...choices
        .slice(at, at + perRow)
        .map((each) => span(each + ' '.repeat(Math.max(1, width - columnsOf(each))), 'dim')),
    ]);
  const shown = rows.length * perRow;
  return shown < choices.length ? [...rows, [span(`   and ${choices.length - shown} more`, 'dim')]] : rows;
}
