import { displayWidth, splitGraphemes, wrapText } from '../../rendering/text-width.ts';
import { type StyledRow, span } from '../screen/styled-row.ts';
import type { Prompt } from './prompt.ts';

/** The fields of a call whose JSON is incomplete. */
export interface PartialCallInput {
  readonly command: string;
  readonly env: readonly string[];
  readonly cwd: string | null;
}

const JSON_STRING = String.raw`"((?:[^"\\]|\\.)*)("?)`;

/**
 * Parses the beginning of a call's JSON, so that the command can be previewed while the arguments arrive.
 * `null` before the command begins.
 */
export function parsePartialCall(json: string): PartialCallInput | null {
  const command = readField(json, 'command');
  if (command === null) return null;
  return { command, env: readVariables(json), cwd: readField(json, 'cwd') };
}

function readField(json: string, name: string): string | null {
  const [, text] = new RegExp(`"${name}"\\s*:\\s*${JSON_STRING}`, 's').exec(json) ?? [];
  return text === undefined ? null : decodePartialString(text);
}

function readVariables(json: string): string[] {
  const [, inside = ''] = /"env"\s*:\s*\{([^}]*)/s.exec(json) ?? [];
  return [...inside.matchAll(new RegExp(`"(\\w+)"\\s*:\\s*${JSON_STRING}`, 'gs'))].map(
    ([, name = '', value = '']) => `${name}=${decodePartialString(value)}`,
  );
}

/** An incomplete escape sequence is omitted. */
function decodePartialString(text: string): string {
  const whole = text.replace(/\\(?:u[\da-fA-F]{0,3})?$/, '');
  try {
    return JSON.parse(`"${whole.replace(/[\x00-\x1f]/g, ' ')}"`) as string;
  } catch {
    return whole;
  }
}

const PROMPT_MARK = ' ❯ ';
const MAX_CHOICE_ROWS = 6;

export interface RenderedPrompt {
  readonly rows: readonly StyledRow[];
  readonly cursor: { readonly row: number; readonly column: number };
}

/** Renders the prompt, above it the preview of a call typed as JSON, below it the completion candidates. */
export function renderPrompt(prompt: Prompt, columns: number): RenderedPrompt {
  const { text, cursor } = prompt.draft;
  const mark = toPromptMark(text, prompt.query);
  const room = Math.max(1, columns - displayWidth(mark));
  const before = splitGraphemes(text).slice(0, cursor).join('');
  const above = renderPreview(text, room);
  const lines = text.split('\n').flatMap((line) => wrapText(line, room));
  const rows = lines.map(
    (line, at): StyledRow => [span(at === 0 ? mark : ' '.repeat(displayWidth(mark)), 'title'), span(line)],
  );
  const rowsBefore = before.split('\n').flatMap((line) => wrapText(line, room));
  const last = rowsBefore.at(-1) ?? '';
  const isFull = displayWidth(last) >= room;
  return {
    rows: [
      ...above,
      ...rows,
      ...(isFull && rows.length < rowsBefore.length + 1 ? [[]] : []),
      ...renderChoices(prompt, columns),
    ],
    cursor: {
      row: above.length + rowsBefore.length - 1 + (isFull ? 1 : 0),
      column: displayWidth(mark) + (isFull ? 0 : displayWidth(last)),
    },
  };
}

function toPromptMark(text: string, query: string | null): string {
  if (query !== null) return ` search ${query}: `;
  return text.startsWith('!') ? ' ! ' : PROMPT_MARK;
}

function renderPreview(text: string, room: number): StyledRow[] {
  if (!text.trimStart().startsWith('{')) return [];
  const call = parsePartialCall(text);
  if (call === null) return [[span('   a call, as JSON', 'dim')]];
  const where = call.cwd === null ? '' : `  in ${call.cwd}`;
  const words = [...call.env, call.command].join(' ');
  return wrapText(`${words.replace(/\n/g, ' ⏎ ')}${where}`, room).map(
    (row): StyledRow => [span('   '), span(row, 'accent')],
  );
}

function renderChoices({ choices, query }: Prompt, columns: number): StyledRow[] {
  if (choices.length === 0 || query !== null) return [];
  const width = Math.min(columns, Math.max(...choices.map(displayWidth)) + 3);
  const perRow = Math.max(1, Math.floor((columns - PROMPT_MARK.length) / width));
  const rows: StyledRow[] = [];
  for (let at = 0; at < choices.length && rows.length < MAX_CHOICE_ROWS; at += perRow)
    rows.push([
      span('   '),
      ...choices
        .slice(at, at + perRow)
        .map((each) => span(each + ' '.repeat(Math.max(1, width - displayWidth(each))), 'dim')),
    ]);
  const shown = rows.length * perRow;
  return shown < choices.length ? [...rows, [span(`   and ${choices.length - shown} more`, 'dim')]] : rows;
}
