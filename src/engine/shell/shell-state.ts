import { shellQuote } from '../text/shell-quote.ts';

/**
 * Differences between a session's shell and a new shell. Texts have one byte per character (latin1), because
 * variables may hold any bytes.
 */
export interface ShellState {
  /** `null`: the initial directory. `cwd` and `oldCwd` are regular strings. */
  readonly cwd: string | null;
  readonly oldCwd: string | null;
  /** The directory stack without its first entry. */
  readonly stack: readonly string[];
  readonly umask: string | null;
  /** `declare …` by name; `null` for a variable that was unset. */
  readonly variables: Readonly<Record<string, string | null>>;
  /** By name; `null` for a function that was unset. */
  readonly functions: Readonly<Record<string, ShellFunction | null>>;
  /** `alias …` by name; `null` for one that was removed. */
  readonly aliases: Readonly<Record<string, string | null>>;
  /** Changed options of `shopt`. */
  readonly shopt: Readonly<Record<string, boolean>>;
  /** Changed options of `set -o`. */
  readonly set: Readonly<Record<string, boolean>>;
}

/** The definition and the attributes of a shell function. */
export interface ShellFunction {
  readonly text: string;
  /** `declare -f…`, with attributes. */
  readonly declaration: string;
}

/** The state of a new shell. */
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

/** Whether a shell needs no script to have this state. The working directory is set at its start. */
export function isEmptyShellState(state: ShellState): boolean {
  const { stack, umask, variables, functions, aliases, shopt, set } = state;
  const kinds = [variables, functions, aliases, shopt, set];
  return stack.length === 0 && umask === null && kinds.every((kind) => Object.keys(kind).length === 0);
}

/** Returns the names of entries that are set. */
export function presentNames(kind: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(kind).filter((name) => kind[name] !== null);
}

/** What a state is applied to: the rc snapshot, then the session's variables. */
interface StateBase {
  readonly snapshot: string | null;
  readonly env: Readonly<Record<string, string>>;
}

/** Renders shell text that exports variables. */
export function renderExports(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env).map(([name, value]) => renderExport(name, value));
}

/**
 * Renders an export. Unset first, because an integer attribute would evaluate the value; a readonly variable
 * stays.
 */
export function renderExport(name: string, value: string): string {
  return `builtin unset -v ${name} 2>/dev/null && builtin export ${name}=${shellQuote(value)}`;
}

/** Renders the script that gives a new shell this state. */
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
    // Without `builtin`, after which bash does not parse array values.
    ...Object.values(variables).flatMap((text) => (text === null ? [] : renderVariable(text))),
    // Some function texts cannot be parsed without it.
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

/** Names of exported variables, which are unexported before another bash is started for a command. */
function renderExportedNames(variables: ShellState['variables']): string[] {
  const names = Object.keys(variables).filter((name) => /^declare -\w*x/.test(variables[name] ?? ''));
  return names.length === 0 ? [] : [`__nacre_exports+=(${names.join(' ')})`];
}

/** Attributes that change assigned values (`-i`, `-l`, `-u`, `-c`) are set after the value. */
function renderVariable(declaration: string): string[] {
  const [, flags = '', name, value] = DECLARATION.exec(declaration) ?? [];
  const changing = flags.replace(/[^cilur]/g, '');
  if (name === undefined || !/[cilu]/.test(changing)) return [declaration];
  const rest = flags.replace(/[cilur]/g, '') || '-';
  return [`declare -${rest} ${name}${value}`, `declare -${changing} ${name}`];
}

const DECLARATION = /^declare -(\S+) ([A-Za-z_]\w*)(=[\s\S]*)$/;

/** Renders a state as one line, for a shell that cannot read the file. */
export function renderInlineState(script: string): string {
  const bytes = Buffer.from(script, 'latin1');
  const text = bytes.toString('utf8');
  const word = Buffer.from(text).equals(bytes) ? shellQuote(text) : quoteBytes(script);
  return `builtin eval ${word} >/dev/null 2>&1`;
}

/** Quotes bytes that are not valid UTF-8 with octal escapes. */
function quoteBytes(bytes: string): string {
  const escaped = bytes.replace(
    /['\\]|[^ -~]/g,
    (byte) => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
  return `$'${escaped}'`;
}

/** Aliases are enabled after the script, so that they do not change its own last lines. */
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

/** Converts text to one byte per character. */
function toBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}
