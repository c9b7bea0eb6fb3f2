import { quote } from '../../text/quote.ts';
import { namesOf, type ShellState } from './shell-state.ts';

/** What is under a state: the user's shell, and the session's own variables, which are stronger. */
export interface Foundation {
  readonly snapshot: string | null;
  readonly env: Readonly<Record<string, string>>;
}

/** Shell text that sets variables to exactly these values. */
export function renderExports(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env).map(([name, value]) => renderExport(name, value));
}

/** Without the attributes it had: a value must not be taken for a sum. One that is read-only stays as it is. */
export function renderExport(name: string, value: string): string {
  return `builtin unset -v ${name} 2>/dev/null && builtin export ${name}=${quote(value)}`;
}

/** What a new shell is told so that it becomes what the session's was. */
export function renderState(state: ShellState, { snapshot, env }: Foundation): string {
  const { variables, functions, aliases, shopt, set } = state;
  const texts = Object.values(functions).flatMap((each) =>
    each === null ? [] : [each.text, each.declaration],
  );
  return [
    ...(snapshot === null
      ? []
      : [`builtin . ${toBytes(quote(snapshot))}`, ...renderExports(env).map(toBytes)]),
    ...command('unset -v', Object.keys(variables)),
    // Without `builtin`, behind which bash reads no lists.
    ...Object.values(variables).flatMap((text) => (text === null ? [] : renderVariable(text))),
    // Some functions cannot be read without it.
    ...(shopt.extglob === true ? ['builtin shopt -s extglob'] : []),
    ...command('unset -f', gone(functions)),
    ...texts,
    ...command('unalias', gone(aliases)),
    ...Object.values(aliases).flatMap((text) => (text === null ? [] : `builtin ${text}`)),
    ...aliasSwitch(state),
    ...(state.umask === null ? [] : [`builtin umask ${quote(state.umask)}`]),
    ...[...state.stack].reverse().map((directory) => `builtin pushd -n -- ${quote(directory)}`),
    ...command(
      'shopt -s',
      only(shopt, true).filter((name) => name !== 'expand_aliases'),
    ),
    ...command('shopt -u', only(shopt, false)),
    ...only(set, false).map((name) => `builtin set +o ${quote(name)}`),
    ...exportedIn(variables),
    ...only(set, true).map((name) => `builtin set -o ${quote(name)}`),
    '',
  ].join('\n');
}

/** Names that commands find in their environment; whoever starts a bash of its own for one takes them back first. */
function exportedIn(variables: ShellState['variables']): string[] {
  const names = Object.keys(variables).filter((name) => /^declare -\w*x/.test(variables[name] ?? ''));
  return names.length === 0 ? [] : [`__nacre_exports+=(${names.join(' ')})`];
}

/** Attributes that change what is assigned (`-i`, `-l`, `-u`, `-c`) came after the value, perhaps: they do here. */
function renderVariable(declaration: string): string[] {
  const [, flags = '', name, value] = DECLARATION.exec(declaration) ?? [];
  const changing = flags.replace(/[^cilur]/g, '');
  if (name === undefined || !/[cilu]/.test(changing)) return [declaration];
  const rest = flags.replace(/[cilur]/g, '') || '-';
  return [`declare -${rest} ${name}${value}`, `declare -${changing} ${name}`];
}

const DECLARATION = /^declare -(\S+) ([A-Za-z_]\w*)(=[\s\S]*)$/;

/** A state as one line of text for a shell that does not see our files. */
export function renderInline(ground: string): string {
  const bytes = Buffer.from(ground, 'latin1');
  const text = bytes.toString('utf8');
  const word = Buffer.from(text).equals(bytes) ? quote(text) : quoteBytes(ground);
  return `builtin eval ${word} >/dev/null 2>&1`;
}

/** What is no text is said by numbers. */
function quoteBytes(bytes: string): string {
  const escaped = bytes.replace(
    /['\\]|[^ -~]/g,
    (byte) => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
  return `$'${escaped}'`;
}

/** Whoever has aliases wants them used. Not at once: an alias must not change what our own last lines mean. */
function aliasSwitch({ aliases, shopt }: ShellState): string[] {
  if (shopt.expand_aliases === false) return ['__nacre_aliases='];
  return shopt.expand_aliases === true || namesOf(aliases).length > 0 ? ['__nacre_aliases=1'] : [];
}

function command(words: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`builtin ${words} -- ${names.map(quote).join(' ')}`];
}

function gone(kind: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(kind).filter((name) => kind[name] === null);
}

function only(options: Readonly<Record<string, boolean>>, on: boolean): string[] {
  return Object.keys(options).filter((name) => options[name] === on);
}

/** A ground holds one byte in each character. */
function toBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}
