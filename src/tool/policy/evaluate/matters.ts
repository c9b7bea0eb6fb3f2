import type { Command, CommandArgument } from 'unbash';
import type { Frame } from '../state/machine.ts';
import { storedText } from '../state/stored-file.ts';
import { HANDLERS, LISTENED } from '../unwrap/handlers.ts';
import { mayRunWords } from '../unwrap/unknown-program.ts';
import { UNKNOWN } from '../words/atom.ts';

/** Whether anything hangs on the words of a command of this name; `null` is a name that nobody knows. */
export function matters(name: string | null, node: Command, { frame, names }: Asked): boolean {
  if (name === null || names.has('*')) return true;
  const { state, output } = frame;
  const program = name.slice(name.lastIndexOf('/') + 1);
  if (names.has(program) || HANDLERS.has(program) || program.startsWith('git-')) return true;
  if (output !== undefined && LISTENED.has(program)) return true;
  // `: ${x:=value}` sets a variable.
  if (node.args.some((item) => /\$\{\w+:?=/.test(item.text))) return true;
  if (mayRunWords(program, node.args.map(wordText))) return true;
  if (name.includes('/') && storedText([{ kind: 'text', text: name }], state)[0] !== UNKNOWN) return true;
  return state.get('function', name) !== undefined || state.get('alias', name) !== undefined;
}

interface Asked {
  readonly frame: Frame;
  /** Names whose words are always evaluated; `*` for all. */
  readonly names: ReadonlySet<string>;
}

function wordText(item: CommandArgument): string {
  return item.type === 'Word' ? item.value : '';
}
