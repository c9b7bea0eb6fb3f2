import { shellQuote } from '../text/shell-quote.ts';

/**
 * What a session's shell has become, apart from what every new shell is anyway. Texts hold one byte in each character
 * (latin1): what a variable holds need not be text.
 */
export interface ShellState {
  /** `null`: where the session began. This and the next are text, as Node has it. */
  readonly cwd: string | null;
  readonly oldCwd: string | null;
  /** The directories below the first one, as `dirs` lists them. */
  readonly stack: readonly string[];
  readonly umask: string | null;
  /** `declare …` by name; `null` stands for a variable that was unset. */
  readonly variables: Readonly<Record<string, string | null>>;
  /** By name; `null` stands for a function that was unset. */
  readonly functions: Readonly<Record<string, ShellFunction | null>>;
  /** `alias …` by name; `null` stands for one that was taken away. */
  readonly aliases: Readonly<Record<string, string | null>>;
  /** Options of `shopt` that were switched. */
  readonly shopt: Readonly<Record<string, boolean>>;
  /** Options of `set -o` that were switched. */
  readonly set: Readonly<Record<string, boolean>>;
}

export interface ShellFunction {
  readonly text: string;
  /** `declare -f…`, with its attributes. */
  readonly declaration: string;
}

export const EMPTY_SHELL_STATE: ShellState = {
  cwd: null,
  oldCwd: null,
  stack: [],
  umask: null,
  variables: {},
  functions: {},
  aliases: {},
  shopt: {},
  set: {},
};

/** Whether a shell needs to be told anything of it; a directory it is started in. */
export function isEmptyShellState(state: ShellState): boolean {
  const { stack, umask, variables, functions, aliases, shopt, set } = state;
  const kinds = [variables, functions, aliases, shopt, set];
  return stack.length === 0 && umask === null && kinds.every((kind) => Object.keys(kind).length === 0);
}

/** The names of what is there, without what was taken away. */
export function presentNames(kind: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(kind).filter((name) => kind[name] !== null);
}

/** What is under a state: the user's shell, and the session's own variables, which are stronger. */
export interface StateBase {
  readonly snapshot: string | null;
  readonly env: Readonly<Record<string, string>>;
}

/** Shell text that sets variables to exactly these values. */
export function renderExports(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env).map(([name, value]) => renderExport(name, value));
}

/** Without the attributes it had: a value must not be taken for a sum. One that is read-only stays as it is. */
export function renderExport(name: string, value: string): string {
  return `builtin unset -v ${name} 2>/dev/null && builtin export ${name}=${shellQuote(value)}`;
}

/** What a new shell is told so that it becomes what the session's was. */
export function renderShellState(state: ShellState, { snapshot, env }: StateBase): string {
  const { variables, functions, aliases, shopt, set } = state;
  const texts = Object.values(functions).flatMap((each) =>
    each === null ? [] : [each.text, each.declaration],
  );
  return [
    ...(snapshot === null
      ? []
      : [`builtin . ${toBytes(shellQuote(snapshot))}`, ...renderExports(env).map(toBytes)]),
    ...renderBuiltin('unset -v', Object.keys(variables)),
    // Without `builtin`, behind which bash reads no lists.
    ...Object.values(variables).flatMap((text) => (text === null ? [] : renderVariable(text))),
    // Some functions cannot be read without it.
    ...(shopt.extglob === true ? ['builtin shopt -s extglob'] : []),
    ...renderBuiltin('unset -f', unsetNames(functions)),
    ...texts,
    ...renderBuiltin('unalias', unsetNames(aliases)),
    ...Object.values(aliases).flatMap((text) => (text === null ? [] : `builtin ${text}`)),
    ...renderAliasSwitch(state),
    ...(state.umask === null ? [] : [`builtin umask ${shellQuote(state.umask)}`]),
    ...[...state.stack].reverse().map((directory) => `builtin pushd -n -- ${shellQuote(directory)}`),
    ...renderBuiltin(
      'shopt -s',
      optionsSetTo(shopt, true).filter((name) => name !== 'expand_aliases'),
    ),
    ...renderBuiltin('shopt -u', optionsSetTo(shopt, false)),
    ...optionsSetTo(set, false).map((name) => `builtin set +o ${shellQuote(name)}`),
    ...renderExportedNames(variables),
    ...optionsSetTo(set, true).map((name) => `builtin set -o ${shellQuote(name)}`),
    '',
  ].join('\n');
}

/** Names that commands find in their environment; whoever starts a bash of its own for one takes them back first. */
function renderExportedNames(variables: ShellState['variables']): string[] {
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
export function renderInlineState(ground: string): string {
  const bytes = Buffer.from(ground, 'latin1');
  const text = bytes.toString('utf8');
  const word = Buffer.from(text).equals(bytes) ? shellQuote(text) : quoteBytes(ground);
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
function renderAliasSwitch({ aliases, shopt }: ShellState): string[] {
  if (shopt.expand_aliases === false) return ['__nacre_aliases='];
  return shopt.expand_aliases === true || presentNames(aliases).length > 0 ? ['__nacre_aliases=1'] : [];
}

function renderBuiltin(words: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`builtin ${words} -- ${names.map(shellQuote).join(' ')}`];
}

function unsetNames(kind: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(kind).filter((name) => kind[name] === null);
}

function optionsSetTo(options: Readonly<Record<string, boolean>>, on: boolean): string[] {
  return Object.keys(options).filter((name) => options[name] === on);
}

/** A ground holds one byte in each character. */
function toBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}
