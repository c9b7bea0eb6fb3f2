import { resolve } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { isatty } from 'node:tty';
import { type Bash, createBash, type ExplainedPart, type Explanation } from '../../../index.ts';
import { loadSettings, toBashOptions } from '../../config/settings.ts';
import { replaceControlCharacters } from '../../rendering/printable.ts';
import { type CliCommand, defineCommand, parseWithCommand } from '../command.ts';
import { EXIT_REFUSED, EXIT_USAGE } from '../exit-status.ts';
import { switchFlag, textFlag, usageError } from '../flags.ts';
import { markSpans } from '../mark-spans.ts';
import { print } from '../print.ts';
import { toCommandText } from '../run/run-plan.ts';

/** Functions that colour parts of an explanation. */
export interface ExplainColours {
  readonly bad: (text: string) => string;
  readonly good: (text: string) => string;
  readonly dim: (text: string) => string;
}

const UNCHANGED = (text: string): string => text;
export const NO_COLOURS: ExplainColours = { bad: UNCHANGED, good: UNCHANGED, dim: UNCHANGED };
export const ANSI_COLOURS: ExplainColours = {
  bad: (text) => `\x1b[1;31m${text}\x1b[0m`,
  good: (text) => `\x1b[32m${text}\x1b[0m`,
  dim: (text) => `\x1b[2m${text}\x1b[0m`,
};

/** Renders the command with underlined findings, its parts as a tree, the verdict and the reasons. */
export function renderExplanation(explanation: Explanation, paint: ExplainColours = NO_COLOURS): string {
  const { command, verdict, message, parts, spans, notes } = explanation;
  const marked = markSpans(command, spans).map((line) => (/^ *\^[ ^]*$/.test(line) ? paint.bad(line) : line));
  const lines = [
    ...marked,
    '',
    ...renderTree(explanation, paint),
    ...(parts.length === 0 ? [] : ['']),
    (verdict === 'allow' ? paint.good : paint.bad)(verdict),
    ...(message === '' ? [] : [message]),
    ...notes,
  ];
  return `${lines.join('\n')}\n`;
}

/** Renders the parts as a tree: each part is below the part that runs it. */
function renderTree({ parts, rules }: Explanation, paint: ExplainColours): readonly string[] {
  const children = (outer: number | null): readonly number[] =>
    parts.flatMap((part, index) => (part.outer === outer ? [index] : []));
  const render = (index: number, lead: string, isLast: boolean): readonly string[] => {
    const part = parts[index];
    if (part === undefined) return [];
    const said = rules.filter(({ part: text, span }) => text === part.text && span.start === part.span.start);
    const own = replaceControlCharacters(part.text);
    const told = said.map(({ rule, because }) => `${rule}${because === '' ? '' : `: ${because}`}`).join('; ');
    const head = said.some(({ verdict }) => verdict !== 'allow') ? paint.bad(own) : own;
    const line = [head, renderContext(part, parts), told === '' ? '' : `← ${replaceControlCharacters(told)}`];
    const shown = line
      .filter((text, at) => at === 0 || text !== '')
      .map((text, at) => (at === 0 ? text : paint.dim(text)));
    const below = children(index);
    return [
      `${paint.dim(`  ${lead}${isLast ? '└─' : '├─'}`)} ${shown.join('   ')}`,
      ...below.flatMap((child, at) =>
        render(child, `${lead}${isLast ? '   ' : '│  '}`, at === below.length - 1),
      ),
    ];
  };
  const roots = children(null);
  return roots.flatMap((root, at) => render(root, '', at === roots.length - 1));
}

/** The construct that runs the part, such as a substitution, a function or a trap. */
function renderContext({ via, outer }: ExplainedPart, parts: readonly ExplainedPart[]): string {
  const above = outer === null ? undefined : parts[outer];
  const known = above === undefined ? 0 : above.via.length + 1;
  const rest = via.slice(known);
  return rest.length === 0 ? '' : replaceControlCharacters(`in ${rest.join(' > ')}`);
}

/** Explains one JSON line after the other; an invalid line gets an error, and reading continues. */
export async function explainLines(
  bash: Bash,
  input: AsyncIterable<Buffer> = process.stdin,
): Promise<number> {
  let bad = 0;
  let number = 0;
  for await (const line of readInputLines(input)) {
    number += 1;
    if (line.trim() === '') continue;
    const answer = await explainLine(line, { bash, number });
    if ('error' in answer) bad += 1;
    print(`${JSON.stringify(answer)}\n`);
  }
  return bad === 0 ? 0 : EXIT_USAGE;
}

/** Not `node:readline`, which also splits at U+2028; U+2028 is legal inside a JSON string. */
async function* readInputLines(input: AsyncIterable<Buffer>): AsyncGenerator<string> {
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

interface LineContext {
  readonly bash: Bash;
  readonly number: number;
}

async function explainLine(line: string, { bash, number }: LineContext): Promise<object> {
  const command = readCommand(line);
  if (command === null)
    return {
      error: { id: 'bad_input', message: `Line ${number} is not a JSON object with a string "command".` },
    };
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

function readCommand(line: string): string | null {
  try {
    const value: unknown = JSON.parse(line);
    const { command } = (typeof value === 'object' && value !== null ? value : {}) as { command?: unknown };
    return typeof command === 'string' ? command : null;
  } catch {
    return null;
  }
}

const FLAGS = {
  cwd: {
    ...textFlag('<directory>', 'Working directory of the command (default: the current one)'),
    short: 'C',
  },
  json: switchFlag('Print the explanation as JSON'),
  jsonl: switchFlag('Read lines of {"command": …} and print a verdict for each'),
};

export const command: CliCommand = defineCommand({
  usage: 'explain [options] [--] <command>',
  summary: 'Explain how a command is parsed and whether it may run',
  flags: FLAGS,
  notes: [
    'The command is not run. Several arguments are quoted as needed and joined, as in nacre run.',
    'Exit status: 0 allowed, 126 refused or needs approval;',
    'with --jsonl 0, or 2 when a line is invalid.',
  ],
  examples: [
    'nacre explain \'sudo bash -c "git add ."\'',
    "nacre explain --json 'npm test | tail -5' | jq .parts",
    'nacre explain --jsonl < commands.jsonl',
  ],
  parse: (args) => parseWithCommand(args, FLAGS),
  act: async ({ flags, words }) => {
    if (flags.jsonl && words.length > 0)
      throw usageError('--jsonl reads commands from stdin and takes no arguments.');
    if (!flags.jsonl && words.length === 0) throw usageError('No command given.');
    const bash = openBash(flags.cwd);
    try {
      return flags.jsonl
        ? await explainLines(bash)
        : await explainOne(bash, toCommandText(words), flags.json);
    } finally {
      await bash.close();
    }
  },
});

function openBash(directory = '.'): Bash {
  const cwd = resolve(directory);
  return createBash({
    session: 'cli',
    ...toBashOptions(loadSettings({ cwd, env: process.env })),
    cwd,
    readyShells: 0,
  });
}

async function explainOne(bash: Bash, written: string, json = false): Promise<number> {
  const explanation = await bash.explain(written);
  print(json ? `${JSON.stringify(explanation)}\n` : renderExplanation(explanation, chooseColours()));
  return explanation.verdict === 'allow' ? 0 : EXIT_REFUSED;
}

/** Colours only on a terminal and without `NO_COLOR`. */
function chooseColours(): ExplainColours {
  return isatty(1) && !process.env.NO_COLOR && process.env.TERM !== 'dumb' ? ANSI_COLOURS : NO_COLOURS;
}
