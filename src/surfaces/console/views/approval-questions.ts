import type { Answer, Bash, OpenQuestion } from '../../../index.ts';
import { toPlainLines } from '../../rendering/printable.ts';
import { displayWidth, splitGraphemes, wrapWords } from '../../rendering/text-width.ts';
import type { KeyPress } from '../screen/key-reader.ts';
import { type StyledRow, type StyledSpan, span } from '../screen/styled-row.ts';

/** Keys answer a question; `storing` is a lasting answer that needs confirmation. */
export interface QuestionFocus {
  readonly storing: Answer | null;
}

const ANSWERS: Readonly<Record<string, Answer>> = {
  y: 'once',
  n: 'no',
  a: 'always',
  p: 'project',
  e: 'everywhere',
};

/** The pending questions, oldest first, and whether keys answer the oldest. */
export class PendingQuestions {
  readonly #approvals: Pick<Bash['approvals'], 'answer' | 'watch'>;
  readonly #open: OpenQuestion[] = [];
  #focus: (QuestionFocus & { readonly id: string }) | null = null;

  constructor(approvals: Pick<Bash['approvals'], 'answer' | 'watch'>) {
    this.#approvals = approvals;
  }

  get first(): OpenQuestion | null {
    return this.#open[0] ?? null;
  }

  get count(): number {
    return this.#open.length;
  }

  /** `null` while keys do not answer. A question that becomes the oldest does not inherit the focus. */
  get focus(): QuestionFocus | null {
    return this.#focus?.id === this.first?.id ? this.#focus : null;
  }

  /** Follows questions and answers of all programs until the returned function is called. */
  watch(onChange: (kind: 'asked' | 'settled') => void): () => void {
    return this.#approvals.watch(({ kind, question }) => {
      const at = this.#open.findIndex(({ id }) => id === question.id);
      if (kind === 'asked' && at < 0) this.#open.push(question);
      else if (kind === 'settled' && at >= 0) this.#open.splice(at, 1);
      onChange(kind);
    });
  }

  /** Returns whether the key was used. Ctrl-Y moves the focus to the question; only then other keys answer. */
  take(key: KeyPress): boolean {
    const { first, focus } = this;
    if (first === null || key.name === 'release') return false;
    if (key.name === 'ctrl-y') {
      this.#focus = { id: first.id, storing: null };
      return true;
    }
    if (focus === null) return false;
    if (focus.storing !== null) this.#confirm(key, focus.storing);
    else if (key.name === 'escape') this.#focus = null;
    else if (key.name === 'text') this.#choose(key.text, first);
    else return key.name === 'paste' || key.name === 'enter';
    return true;
  }

  #choose(text: string, { id, always }: OpenQuestion): void {
    const answer = Object.hasOwn(ANSWERS, text) ? ANSWERS[text] : undefined;
    if (answer === undefined) return;
    if (answer === 'once' || answer === 'no') this.#answer(answer);
    else if (always.length > 0) this.#focus = { id, storing: answer };
  }

  /** Enter stores the shown rule; any other key returns to the question. */
  #confirm({ name }: KeyPress, storing: Answer): void {
    if (name === 'enter') this.#answer(storing);
    else if (this.#focus !== null) this.#focus = { ...this.#focus, storing: null };
  }

  #answer(answer: Answer): void {
    const question = this.#open.shift();
    this.#focus = null;
    if (question === undefined) return;
    try {
      this.#approvals.answer(question.id, answer);
    } catch {
      // Another program has answered first.
    }
  }
}

export interface QuestionLayout {
  readonly columns: number;
  /** `null`: keys do not answer the question. */
  readonly focus: QuestionFocus | null;
  /** The asking session, if several are shown. */
  readonly askedBy?: string;
}

/** Renders a question; the parts of the command that need approval are underlined. */
export function renderApprovalQuestion(
  question: OpenQuestion,
  { columns, focus, askedBy }: QuestionLayout,
): StyledRow[] {
  const room = Math.max(1, columns - QUESTION_EDGE.length);
  const command = markedLines(question).flatMap((line) =>
    wrapMarked(line, room).map((row): StyledRow => [span(QUESTION_EDGE, 'warn'), ...row]),
  );
  const reason = wrapWords(question.reason, room).map(
    (row): StyledRow => [span(QUESTION_EDGE, 'warn'), span(row, 'output')],
  );
  const keys = renderKeys(question, focus, room).map(
    (row): StyledRow => [span(QUESTION_EDGE, 'warn'), ...row],
  );
  const asks =
    askedBy === undefined ? [] : [span(`  ${askedBy}`, 'accent'), span(`  ${question.cwd}`, 'dim')];
  return [
    [span(QUESTION_EDGE, 'warn'), span('May this run?', 'warn'), ...asks],
    ...command,
    ...reason,
    ...keys,
  ];
}

/** Marks the rows of a question. */
const QUESTION_EDGE = ' ┃ ';

function renderKeys(question: OpenQuestion, focus: QuestionFocus | null, room: number): StyledRow[] {
  if (focus === null) return [keys('ctrl-y', 'answer')];
  if (focus.storing !== null) return renderStoring(question, focus.storing, room);
  const first = keys('y', 'this time', 'n', 'no', 'esc', 'back');
  if (question.always.length === 0) return [first];
  return [first, keys('a', 'always in this session', 'p', 'in this project', 'e', 'everywhere')];
}

/** Shows the exact rule and its scope. */
function renderStoring({ always, project }: OpenQuestion, answer: Answer, room: number): StyledRow[] {
  const where =
    answer === 'always' ? 'in this session' : answer === 'project' ? `in ${project}` : 'everywhere';
  const words = always.flatMap(({ text }) => wrapWords(text, room - 2));
  return [
    ...wrapWords(`From now on, ${where}, exactly this may run:`, room).map(
      (row): StyledRow => [span(row, 'warn')],
    ),
    ...words.map((row): StyledRow => [span(`  ${row}`, 'strong')]),
    keys('enter', 'store it and run', 'esc', 'back'),
  ];
}

function keys(...pairs: readonly string[]): StyledRow {
  return pairs.map((text, at) =>
    at % 2 === 0 ? span(at === 0 ? text : `   ${text}`, 'title') : span(` ${text}`, 'dim'),
  );
}

interface MarkedText {
  readonly text: string;
  readonly isMarked: boolean;
}

/** The lines of the command, split into marked and unmarked parts. */
function markedLines({ command, spans }: OpenQuestion): MarkedText[][] {
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

function wrapMarked(pieces: readonly MarkedText[], room: number): StyledRow[] {
  const rows: StyledSpan[][] = [[]];
  let left = room;
  for (const { text, isMarked } of pieces)
    for (const character of splitGraphemes(toPlainLines(text)[0] ?? '')) {
      const width = displayWidth(character);
      if (width > left) {
        rows.push([]);
        left = room;
      }
      left -= width;
      rows.at(-1)?.push(span(character, isMarked ? 'marked' : 'strong'));
    }
  return rows.map(joinSpans);
}

/** Merges neighbouring spans of one tone. */
function joinSpans(row: readonly StyledSpan[]): StyledRow {
  const joined: StyledSpan[] = [];
  for (const each of row) {
    const last = joined.at(-1);
    if (last?.tone === each.tone) joined[joined.length - 1] = span(last.text + each.text, each.tone);
    else joined.push(each);
  }
  return joined;
}
