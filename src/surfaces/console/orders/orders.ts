/** What a line that begins with a slash asks of the console itself. */
export interface Order {
  readonly name: string;
  readonly words: string;
  readonly help: string;
}

export const ORDERS: readonly Order[] = [
  {
    name: '/pty',
    words: '<command>',
    help: 'run a command on a terminal: editors, REPLs, anything that asks',
  },
  { name: '/jobs', words: '', help: 'what runs in the background (ctrl-b)' },
  { name: '/artifacts', words: '', help: 'the full output of every call' },
  {
    name: '/open',
    words: '[artifact]',
    help: 'the full output of one call, to page through and search (ctrl-g)',
  },
  { name: '/explain', words: '<command>', help: 'how a command is read, and whether it may run' },
  { name: '/save', words: '<file>', help: 'write the transcript to a file, without what was run with !!' },
  { name: '/clear', words: '', help: 'forget what is shown' },
  { name: '/help', words: '', help: 'this page' },
  { name: '/quit', words: '', help: 'leave (ctrl-d)' },
];

const KEYS: readonly (readonly [string, string])[] = [
  ['a line', 'runs as a call of the tool: judged, limited, shown as a model would see it'],
  ['{"command": …}', 'the same with every field of a call'],
  ['!line', 'runs as yourself: not judged, not rewritten'],
  ['!!line', 'the same, and stays out of the transcript'],
  ['esc', 'stops what runs'],
  ['ctrl-o', 'expands and folds a call; alt-↑ and alt-↓ choose which'],
  ['pgup, pgdn', 'scroll'],
  ['tab, ctrl-r', 'complete, search the history'],
  ['alt-enter', 'another line'],
];

export function renderHelp(): string {
  const left = [...ORDERS.map(({ name, words }) => `${name} ${words}`.trim()), ...KEYS.map(([key]) => key)];
  const right = [...ORDERS.map(({ help }) => help), ...KEYS.map(([, help]) => help)];
  const width = Math.max(...left.map(({ length }) => length)) + 3;
  return left.map((words, at) => `${words.padEnd(width)}${right[at] ?? ''}`).join('\n');
}

/** An order, and what follows it; `null` for a line that is none, such as a program by its path. */
export function readOrder(line: string): { readonly name: string; readonly rest: string } | null {
  const [, name = '', rest = ''] = /^(\/\w+)(?:\s+([\s\S]*))?$/.exec(line.trim()) ?? [];
  return ORDERS.some((order) => order.name === name) ? { name, rest: rest.trim() } : null;
}
