import { createInterface } from 'node:readline';
import type { Answer, OpenQuestion, Reply } from '../../../index.ts';
import { complainRaw } from '../print.ts';
import { renderAlways, renderQuestion, renderScope } from './render-question.ts';

const YES = /^(?:y|yes|o|once|allow)$/i;
const LASTING = ['always', 'project', 'everywhere'] as const;

/** Asks on the terminal. Whatever is not a yes is a no; what follows a no tells the model why. */
export async function askPerson(question: OpenQuestion, signal: AbortSignal): Promise<Reply | undefined> {
  const { always } = question;
  const lasting = always.length === 0 ? '' : ', [a]lways in this session, in this [p]roject, [e]verywhere';
  complainRaw(`${renderQuestion(question)}Run it? [y]es${lasting}, [N]o `);
  const line = await readLine(signal);
  if (line === null) return undefined;
  const [, word = '', rest = ''] = /^\s*(\S*)\s*(.*?)\s*$/.exec(line) ?? [];
  if (YES.test(word) && rest === '') return { answer: 'once' };
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

/** Shows exactly what a lasting answer stores, and where it holds; only a yes stores it. */
export async function confirmRule(
  { always, project }: OpenQuestion,
  answer: Answer,
  signal: AbortSignal,
): Promise<boolean> {
  complainRaw(
    `Stores: allow ${renderAlways(always)} (${renderScope(answer, project)})\nStore it? [y]es, [N]o `,
  );
  return /^\s*(?:y|yes)\s*$/i.test((await readLine(signal)) ?? '');
}

function askAgain(question: OpenQuestion, signal: AbortSignal): Promise<Reply | undefined> {
  return signal.aborted ? Promise.resolve(undefined) : askPerson(question, signal);
}

/** `null` when somebody else has answered meanwhile, or nobody can. */
function readLine(signal: AbortSignal): Promise<string | null> {
  return new Promise((resolve) => {
    // Not a terminal for readline: Ctrl-C stays the signal that ends the call.
    const lines = createInterface({ input: process.stdin, terminal: false });
    const settle = (line: string | null): void => {
      signal.removeEventListener('abort', onAbort);
      // Before the end of reading, which settles it as well.
      resolve(line);
      lines.close();
    };
    const onAbort = (): void => {
      complainRaw('\n');
      settle(null);
    };
    signal.addEventListener('abort', onAbort);
    lines.once('line', settle);
    lines.once('close', () => settle(null));
  });
}
