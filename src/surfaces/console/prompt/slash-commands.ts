/** A slash command of the console. */
export interface SlashCommand {
  readonly name: string;
  readonly words: string;
  readonly help: string;
}

export const SLASH_COMMANDS: readonly SlashCommand[] = [
  { name: '/pty', words: '<command>', help: 'run on a terminal: editors, REPLs, anything that asks' },
  { name: '/jobs', words: '', help: 'what runs in the background' },
  { name: '/artifacts', words: '', help: 'the full output of every call' },
  { name: '/open', words: '[artifact]', help: 'the full output of one call, to page through and search' },
  { name: '/explain', words: '<command>', help: 'how a command is read, and whether it may run' },
  { name: '/save', words: '<file>', help: 'write the transcript to a file, without what was run with !!' },
  { name: '/clear', words: '', help: 'forget what is shown' },
  { name: '/help', words: '', help: 'this page' },
  { name: '/quit', words: '', help: 'leave; jobs go on' },
];

/** Splits a slash command into name and argument; `null` for other lines, such as a program path. */
export function parseSlashCommand(line: string): { readonly name: string; readonly rest: string } | null {
  const [, name = '', rest = ''] = /^(\/\w+)(?:\s+([\s\S]*))?$/.exec(line.trim()) ?? [];
  return SLASH_COMMANDS.some((order) => order.name === name) ? { name, rest: rest.trim() } : null;
}

/** An input or key with its help text. */
export type HelpLine = readonly [what: string, help: string];

export interface HelpSection {
  readonly title: string;
  readonly lines: readonly HelpLine[];
}

/** Help shown in an empty console. */
export const FIRST_STEPS: readonly HelpLine[] = [
  ['npm test', 'runs as a model’s call would: judged, limited, cut'],
  ['!git push', 'runs as yourself'],
  ['/pty vim notes.md', 'gets a terminal of its own'],
  ['/help', 'all orders and keys'],
];

export const HELP_SECTIONS: readonly HelpSection[] = [
  {
    title: 'What you type',
    lines: [
      ['command', 'a call of the tool: judged, limited, shown as a model would see it'],
      ['{"command": …}', 'the same with every field of a call'],
      ['!command', 'runs as yourself: not judged, not rewritten'],
      ['!!command', 'the same, and stays out of the transcript'],
    ],
  },
  {
    title: 'Orders',
    lines: SLASH_COMMANDS.map(({ name, words, help }) => [`${name} ${words}`.trim(), help] as const),
  },
  {
    title: 'Keys',
    lines: [
      ['esc', 'stops what runs'],
      ['ctrl-y', 'answers a question; esc leaves it'],
      ['ctrl-o', 'expands and folds a call'],
      ['ctrl-g', 'opens its full output'],
      ['alt-↑ alt-↓', 'choose another call for these'],
      ['ctrl-b', 'jobs'],
      ['pgup pgdn', 'scroll'],
      ['tab', 'completes programs, paths and orders'],
      ['↑ ↓ ctrl-r', 'the history, and a search in it'],
      ['alt-enter', 'another line; so does \\ at the end of one'],
      ['ctrl-d', 'leaves; jobs go on'],
    ],
  },
];
