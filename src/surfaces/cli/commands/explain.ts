import { resolve } from 'node:path';
import { isatty } from 'node:tty';
import { type Bash, createBash } from '../../../index.ts';
import { loadSettings } from '../../config/load-settings.ts';
import { toOptions } from '../../config/to-options.ts';
import { type Command, defineCommand } from '../args/command.ts';
import { text, toggle, usageError } from '../args/flag.ts';
import { REFUSED } from '../exit-status.ts';
import { print } from '../print.ts';
import { explainLines } from './explain-lines.ts';
import { COLOURED, type Paint, PLAIN, renderExplanation } from './explain-text.ts';

export const command: Command = defineCommand({
  usage: 'explain [options] [--] <command>',
  summary: 'Say how a command is read and whether it may run',
  flags: {
    cwd: text('<directory>', 'Where it would run (default: here)'),
    json: toggle('Print the explanation as JSON'),
    jsonl: toggle('Read lines of {"command": …} and print a verdict for each'),
  },
  notes: [
    'Nothing is run.',
    'Exit status: 0 it may run, 126 it would be refused or asked about;',
    'with --jsonl 0, or 2 when a line was no command.',
  ],
  examples: [
    'nacre explain \'sudo bash -c "git add ."\'',
    "nacre explain --json 'npm test | tail -5' | jq .parts",
    'nacre explain --jsonl < commands.jsonl',
  ],
  act: async ({ flags, words }) => {
    if (flags.jsonl && words.length > 0)
      throw usageError('With --jsonl the commands come from standard input.');
    const [written, ...more] = words;
    if (!flags.jsonl && (written === undefined || more.length > 0))
      throw usageError('explain takes one command, as you would type it in bash: quote it.');
    const bash = openBash(flags.cwd);
    try {
      return flags.jsonl ? await explainLines(bash) : await explainOne(bash, written ?? '', flags.json);
    } finally {
      await bash.close();
    }
  },
});

function openBash(directory = '.'): Bash {
  const cwd = resolve(directory);
  return createBash({
    session: 'cli',
    ...toOptions(loadSettings({ cwd, env: process.env })),
    cwd,
    readyShells: 0,
  });
}

async function explainOne(bash: Bash, written: string, json = false): Promise<number> {
  const explanation = await bash.explain(written);
  print(json ? `${JSON.stringify(explanation)}\n` : renderExplanation(explanation, paint()));
  return explanation.verdict === 'allow' ? 0 : REFUSED;
}

/** Colours only for somebody who sees them, and never against `NO_COLOR`. */
function paint(): Paint {
  return isatty(1) && !process.env.NO_COLOR && process.env.TERM !== 'dumb' ? COLOURED : PLAIN;
}
