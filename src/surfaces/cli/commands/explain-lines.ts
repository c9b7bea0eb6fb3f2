import { StringDecoder } from 'node:string_decoder';
import type { Bash } from '../../../index.ts';
import { USAGE } from '../exit-status.ts';
import { print } from '../print.ts';

/** One line in, one line out, each as soon as it has come; a line that is no command gets an error and the next one its verdict. */
export async function explainLines(
  bash: Bash,
  input: AsyncIterable<Buffer> = process.stdin,
): Promise<number> {
  let bad = 0;
  let number = 0;
  for await (const line of linesOf(input)) {
    number += 1;
    if (line.trim() === '') continue;
    const answer = await answerTo(line, { bash, number });
    if ('error' in answer) bad += 1;
    print(`${JSON.stringify(answer)}\n`);
  }
  return bad === 0 ? 0 : USAGE;
}

/** Not `node:readline`: it also breaks lines at U+2028, which is legal inside a JSON string. */
async function* linesOf(input: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of input) {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  rest += decoder.end();
  if (rest !== '') yield rest;
}

interface Asked {
  readonly bash: Bash;
  readonly number: number;
}

async function answerTo(line: string, { bash, number }: Asked): Promise<object> {
  const command = commandOf(line);
  if (command === null)
    return { error: { id: 'bad_input', message: `Line ${number} is no object with the text "command".` } };
  try {
    const { verdict, findings, message } = await bash.explain(command);
    const first = findings.find((finding) => finding.verdict === verdict) ?? findings[0];
    const found = first && { rule: first.rule, reason: first.because, position: first.span };
    return { verdict, ...found, checks: [...new Set(findings.map(({ rule }) => rule))], message };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { error: { id: 'policy_limit', message: `Line ${number}: ${text}` } };
  }
}

function commandOf(line: string): string | null {
  try {
    const value: unknown = JSON.parse(line);
    const { command } = (typeof value === 'object' && value !== null ? value : {}) as { command?: unknown };
    return typeof command === 'string' ? command : null;
  } catch {
    return null;
  }
}
