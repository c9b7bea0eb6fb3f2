import { createInterface } from 'node:readline';
import type { OpenQuestion, Reply } from '../../../index.ts';
import { complainRaw } from '../print.ts';
import { renderQuestion } from './render-question.ts';

const YES = /^(?:y|yes|o|once|allow)$/i;
const ALWAYS = /^(?:a|always)$/i;

/** Asks on the terminal. Whatever is not a yes is a no; what follows a no tells the model why. */
export async function askPerson(question: OpenQuestion, signal: AbortSignal): Promise<Reply | undefined> {
  const { always } = question;
  const choices = always.length === 0 ? '[y]es, [N]o' : '[y]es, [a]lways, [N]o';
  complainRaw(`${renderQuestion(question)}Run it? ${choices} `);
  const line = await readLine(signal);
  if (line === null) return undefined;
  const [, word = '', rest = ''] = /^\s*(\S*)\s*(.*?)\s*$/.exec(line) ?? [];
  if (YES.test(word) && rest === '') return { answer: 'once' };
  if (ALWAYS.test(word) && rest === '' && always.length > 0) return { answer: 'always' };
  const reason = /^no?$/i.test(word) ? rest : line.trim();
  return reason === '' ? { answer: 'no' } : { answer: 'no', reason };
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
