/** A slash command of the console. */
export interface SlashCommand {
  readonly name: string;
  readonly words: string;
  readonly help: string;
}

export const SLASH_COMMANDS: readonly SlashCommand[] = [
  { name: '/pty', words: '<command>', help: 'run on a terminal, for editors, REPLs and prompts' },
  { name: '/jobs', words: '', help: 'list background jobs' },
  { name: '/artifacts', words: '', help: 'list the full outputs of all calls' },
  { name: '/open', words: '[artifact]', help: 'open the full output of a call' },
  { name: '/explain', words: '<command>', help: 'explain how a command is parsed and whether it may run' },
  { name: '/save', words: '<file>', help: 'save the transcript to a file, without !! commands' },
  { name: '/clear', words: '', help: 'clear the transcript' },
  { name: '/help', words: '', help: 'show this help' },
  { name: '/quit', words: '', help: 'quit; jobs keep running' },
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
  ['npm test', 'runs as a tool call, with policy, limits and truncation'],
  ['!git push', 'runs as you, without policy'],
  ['/pty vim notes.md', 'runs on its own terminal'],
  ['/help', 'all commands and keys'],
];

export const HELP_SECTIONS: readonly HelpSection[] = [
  {
    title: 'Input',
    lines: [
      ['command', 'a tool call with policy and limits, shown as a model sees it'],
      ['{"command": …}', 'a tool call with any fields'],
      ['!command', 'runs as you, without policy or rewriting'],
      ['!!command', 'the same, not saved in the transcript'],
    ],
  },
  {
    title: 'Commands',
    lines: SLASH_COMMANDS.map(({ name, words, help }) => [`${name} ${words}`.trim(), help] as const),
  },
  {
    title: 'Keys',
    lines: [
      ['esc', 'stop the running command'],
      ['ctrl-y', 'answer a pending approval; esc goes back'],
      ['ctrl-o', 'expand or collapse a call'],
      ['ctrl-g', 'open the full output of a call'],
      ['alt-↑ alt-↓', 'select another call for these keys'],
      ['ctrl-b', 'list jobs'],
      ['pgup pgdn', 'scroll'],
      ['tab', 'complete programs, paths and commands'],
      ['↑ ↓ ctrl-r', 'browse and search the history'],
      ['alt-enter', 'new line; also \\ at the end of a line'],
      ['ctrl-d', 'quit; jobs keep running'],
    ],
  },
];
