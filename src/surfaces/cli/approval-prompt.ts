import { createInterface } from 'node:readline';
import { isatty } from 'node:tty';
import {
  type Answer,
  type Approvals,
  NacreError,
  type OpenQuestion,
  type QuestionEvent,
  type Reply,
} from '../../index.ts';
import { replaceControlCharacters } from '../rendering/printable.ts';
import { renderAge } from '../rendering/text-table.ts';
import { markSpans } from './mark-spans.ts';
import { print, printPrompt } from './print.ts';

/** Renders a pending question: id, session, remaining time, command and reason. */
export function renderPendingApproval(question: OpenQuestion, now: number = Date.now()): string {
  const { id, session, cwd, command, spans, reason, always, expiresAt } = question;
  const left = renderAge(now, Math.max(now, expiresAt));
  const lines = [
    replaceControlCharacters(`${id}  session ${session}  in ${cwd}  ${left} left`),
    ...markSpans(command, spans).map((line) => `  ${line}`.trimEnd()),
    ...`why: ${reason}`.split('\n').map((line) => `  ${replaceControlCharacters(line)}`),
    ...(always.length === 0 ? [] : [`  always: ${renderAlwaysRule(always)}`]),
  ];
  return `${lines.join('\n')}\n`;
}

/** The exact rule texts that a lasting answer stores, as shell text. */
export function renderAlwaysRule(rules: OpenQuestion['always']): string {
  return rules.map(({ text }) => text).join('; ');
}

/** The scope of a lasting answer; `null` for an answer that stores nothing. */
export function renderScope(answer: Answer, project: string): string | null {
  if (answer === 'always') return 'in this session';
  if (answer === 'project') return replaceControlCharacters(`in ${project}`);
  return answer === 'everywhere' ? 'everywhere' : null;
}

const YES_ANSWER = /^(?:y|yes|o|once|allow)$/i;
const LASTING = ['always', 'project', 'everywhere'] as const;

/**
 * Asks on the terminal. Any text other than an approval refuses; text after `n` is passed to the model as the
 * reason.
 */
export async function promptForApproval(
  question: OpenQuestion,
  signal: AbortSignal,
): Promise<Reply | undefined> {
  const { always } = question;
  const lasting = always.length === 0 ? '' : ', [a]lways in this session, in this [p]roject, [e]verywhere';
  printPrompt(`${renderPendingApproval(question)}Run it? [y]es${lasting}, [N]o `);
  const line = await readAnswerLine(signal);
  if (line === null) return undefined;
  const [, word = '', rest = ''] = /^\s*(\S*)\s*(.*?)\s*$/.exec(line) ?? [];
  if (YES_ANSWER.test(word) && rest === '') return { answer: 'once' };
  const answer = lastingAnswer(word);
  if (answer !== undefined && rest === '' && always.length > 0)
    return (await confirmRule(question, answer, signal)) ? { answer } : askAgain(question, signal);
  const reason = /^no?$/i.test(word) ? rest : line.trim();
  return reason === '' ? { answer: 'no' } : { answer: 'no', reason };
}

function lastingAnswer(word: string): Answer | undefined {
  const given = word.toLowerCase();
  return LASTING.find((answer) => answer === given || answer.charAt(0) === given);
}

/** Shows exactly the rule that a lasting answer stores and asks for confirmation. */
export async function confirmRule(
  { always, project }: OpenQuestion,
  answer: Answer,
  signal: AbortSignal,
): Promise<boolean> {
  printPrompt(
    `Stores: allow ${renderAlwaysRule(always)} (${renderScope(answer, project)})\nStore it? [y]es, [N]o `,
  );
  return /^\s*(?:y|yes)\s*$/i.test((await readAnswerLine(signal)) ?? '');
}

function askAgain(question: OpenQuestion, signal: AbortSignal): Promise<Reply | undefined> {
  return signal.aborted ? Promise.resolve(undefined) : promptForApproval(question, signal);
}

/** Reads one line; `null` when the question was settled elsewhere or stdin has ended. */
function readAnswerLine(signal: AbortSignal): Promise<string | null> {
  return new Promise((resolve) => {
    // `terminal: false` keeps Ctrl-C as a signal, which stops the call.
    const lines = createInterface({ input: process.stdin, terminal: false });
    const settle = (line: string | null): void => {
      signal.removeEventListener('abort', onAbort);
      // Resolved before close, whose handler resolves with `null`.
      resolve(line);
      lines.close();
    };
    const onAbort = (): void => {
      printPrompt('\n');
      settle(null);
    };
    signal.addEventListener('abort', onAbort);
    lines.once('line', settle);
    lines.once('close', () => settle(null));
  });
}

/** Prints questions as they arrive until interrupted; on a terminal it also reads answers. */
export async function watchApprovals(approvals: Approvals, json: boolean): Promise<number> {
  if (json) return followApprovals(approvals, (event) => print(`${JSON.stringify(event)}\n`));
  if (!isatty(0) || !isatty(1))
    return followApprovals(approvals, (event) => print(renderApprovalEvent(event)));
  printPrompt('Waiting for questions. Press Ctrl-C to quit.\n');
  const room = new ApprovalPrompter(approvals);
  return followApprovals(approvals, (event) => room.onEvent(event));
}

function renderApprovalEvent({ kind, question }: QuestionEvent): string {
  return kind === 'asked' ? renderPendingApproval(question) : `${question.id}  settled\n`;
}

/** Asks one question at a time on the terminal. */
class ApprovalPrompter {
  readonly #approvals: Approvals;
  readonly #waiting: OpenQuestion[] = [];
  #asking: { readonly id: string; readonly settled: AbortController } | null = null;

  constructor(approvals: Approvals) {
    this.#approvals = approvals;
  }

  onEvent({ kind, question }: QuestionEvent): void {
    if (kind === 'asked') {
      this.#waiting.push(question);
      void this.#askNext();
      return;
    }
    const at = this.#waiting.findIndex(({ id }) => id === question.id);
    if (at >= 0) this.#waiting.splice(at, 1);
    if (this.#asking?.id === question.id) this.#asking.settled.abort();
  }

  async #askNext(): Promise<void> {
    if (this.#asking !== null) return;
    const next = this.#waiting.shift();
    if (next === undefined) return;
    const settled = new AbortController();
    this.#asking = { id: next.id, settled };
    const reply = await promptForApproval(next, settled.signal);
    this.#asking = null;
    if (reply === undefined) printPrompt(`${next.id} is settled.\n`);
    else this.#answer(next.id, reply);
    void this.#askNext();
  }

  #answer(id: string, { answer, reason }: Reply): void {
    try {
      this.#approvals.answer(id, answer, reason === undefined ? {} : { reason });
    } catch (error) {
      if (!(error instanceof NacreError)) throw error;
      printPrompt(`${error.message}\n`);
    }
  }
}

/** Resolves with the exit status of the interrupting signal. */
function followApprovals(approvals: Approvals, listener: (event: QuestionEvent) => void): Promise<number> {
  return new Promise((resolve, reject) => {
    const stop = approvals.watch((event) => {
      try {
        listener(event);
      } catch (error) {
        stop();
        reject(error);
      }
    });
    process.once('SIGINT', () => {
      stop();
      resolve(130);
    });
  });
}
