/** What a line that begins with a slash asks of the console itself. */
export interface Order {
  readonly name: string;
  readonly words: string;
  readonly help: string;
}

export const ORDERS: readonly Order[] = [
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

/** An order, and what follows it; `null` for a line that is none, such as a program by its path. */
export function readOrder(line: string): { readonly name: string; readonly rest: string } | null {
  const [, name = '', rest = ''] = /^(\/\w+)(?:\s+([\s\S]*))?$/.exec(line.trim()) ?? [];
  return ORDERS.some((order) => order.name === name) ? { name, rest: rest.trim() } : null;
}
