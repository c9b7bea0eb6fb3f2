import type { Command, CommandArgument, ParsedScript, SyntaxNode } from 'unbash';
import { parseCommand, toLiteralWord, walkSyntax } from './parse-script.ts';

/** Builtins that leave the shell as it is, and, where there is such a form, the words that make them change it. */
export const STATELESS_BUILTINS: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    ':': '',
    '[': '',
    bg: '',
    bind: '',
    break: '',
    builtin: '',
    caller: '',
    command: '',
    compgen: '-V',
    complete: '',
    compopt: '',
    continue: '',
    dirs: '-c',
    disown: '',
    echo: '',
    enable: '',
    exec: '',
    exit: '',
    false: '',
    fc: '-s',
    fg: '',
    hash: '',
    help: '',
    history: '',
    jobs: '-x',
    kill: '',
    logout: '',
    printf: '^-\\w*v|^["\']?[$`]|%n',
    pwd: '',
    return: '',
    shift: '',
    suspend: '',
    test: '',
    times: '',
    trap: '.',
    true: '',
    type: '',
    ulimit: '',
    wait: '-\\w*p',
  }).map(([name, words]) => [name, words === '' ? /^(?!)/ : new RegExp(words)]),
);

/** Builtins that change variables, the directory, options or aliases. */
export const VARIABLE_BUILTINS: ReadonlySet<string> = new Set([
  'alias',
  'cd',
  'declare',
  'export',
  'getopts',
  'let',
  'local',
  'mapfile',
  'popd',
  'pushd',
  'read',
  'readarray',
  'readonly',
  'set',
  'shopt',
  'typeset',
  'umask',
  'unalias',
]);

/** Builtins that can do anything. */
export const UNBOUNDED_BUILTINS: ReadonlySet<string> = new Set(['.', 'eval', 'source', 'unset']);

/**
 * Whether a script sets a trap where one of ours would be, or lists traps and would see ours. A DEBUG trap would be run
 * for the commands of ours, a shell that prints what it reads would print it, and a restricted one would say that it may not.
 */
export function conflictsWithExitTrap(script: ParsedScript): boolean {
  let found = false;
  const look = (node: SyntaxNode): 'inside' | 'past' => {
    found ||= node.type === 'Command' && (touchesExitTrap(node) || changesShellMode(node));
    return found ? 'past' : 'inside';
  };
  walkSyntax(script, look);
  return found;
}

/** After `set -v` bash prints whatever it reads, traps included; after `set -r` it writes no files. */
function changesShellMode({ name, args }: Command): boolean {
  return name?.value === 'set' && args.some(({ text }) => /^-[A-Za-z]*[rv]|verbose|restricted/.test(text));
}

function touchesExitTrap(command: Command): boolean {
  const words = [...(command.name ? [command.name] : []), ...command.args];
  const literals = words.map((word) => (word.type === 'Word' ? (toLiteralWord(word)?.value ?? null) : null));
  // `command trap`, `builtin trap`
  const at = literals.findIndex((word) => word !== 'command' && word !== 'builtin');
  if (literals[at] !== 'trap') return false;
  const [action, ...signals] = literals.slice(at + 1).filter((word) => word !== '--');
  if (action === undefined || signals.length === 0) return true;
  return (
    signals.some((signal) => signal === null || /^(?:(?:SIG)?EXIT|0|DEBUG)$/i.test(signal)) || action === '-p'
  );
}

/** What a command can change in the shell that runs it: nothing, all but its functions, or anything. */
export type StateEffect = 'none' | 'variables' | 'all';

/** What the shell is before the command. */
export interface KnownShell {
  /** Names that do not mean what they look like: functions and aliases. */
  readonly names: ReadonlySet<string>;
  /** Whether the last stage of a pipeline runs in the shell itself. */
  readonly lastPipe: boolean;
}

export interface CommandEffect {
  readonly effect: StateEffect;
  /** Whether the command has a trap of its own where ours would be, or would see ours. */
  readonly trapsEnd: boolean;
}

/** One program with plain words: by far the most common command. Two words of grammar look like one. */
const PLAIN_COMMAND = /^\s*(?!(?:time|coproc)\s)([\w./-]+)(?:[ \t]+[\w./:@%+,=-]+)*\s*$/;

/** What a command can do to its shell. What cannot be told counts as anything. */
export function analyzeStateEffect(command: string, known: KnownShell): CommandEffect {
  const [, first] = PLAIN_COMMAND.exec(command) ?? [];
  if (first !== undefined && !known.names.has(first) && !isBuiltin(first)) return NO_EFFECT;
  const { script, errors } = parseCommand(command);
  if (errors.length > 0) return { effect: 'all', trapsEnd: /\btrap\b/.test(command) };
  let effect: StateEffect = 'none';
  walkSyntax(script, (node) => {
    if (runsInSubshell(node, known)) return 'past';
    effect = strongerEffect(effect, effectOf(node, known));
    return 'inside';
  });
  return { effect, trapsEnd: conflictsWithExitTrap(script) };
}

const NO_EFFECT: CommandEffect = { effect: 'none', trapsEnd: false };

function isBuiltin(name: string): boolean {
  return STATELESS_BUILTINS.has(name) || VARIABLE_BUILTINS.has(name) || UNBOUNDED_BUILTINS.has(name);
}

function strongerEffect(one: StateEffect, other: StateEffect): StateEffect {
  if (one === 'all' || other === 'all') return 'all';
  return one === 'variables' ? one : other;
}

/** Whether a part runs in a shell of its own, whose changes nobody sees. */
function runsInSubshell(node: SyntaxNode, { lastPipe }: KnownShell): boolean {
  switch (node.type) {
    case 'Subshell':
    case 'CommandExpansion':
    case 'ProcessSubstitution':
      return true;
    case 'Statement':
      return node.background === true;
    case 'Pipeline':
      return node.commands.length > 1 && !lastPipe;
    default:
      return false;
  }
}

function effectOf(node: SyntaxNode, known: KnownShell): StateEffect {
  switch (node.type) {
    case 'Command':
      return effectOfCommand(node, known);
    case 'Function':
      return 'all';
    case 'For':
    case 'Select':
    case 'ArithmeticFor':
    case 'ArithmeticCommand':
    case 'Coproc':
    case 'FileDescriptorVariable':
      return 'variables';
    case 'ArithmeticExpansion':
      return mayAssign(node.text);
    case 'ParameterExpansion':
      return /^:?=$/.test(node.operation?.operator ?? '') ? 'variables' : mayAssign(subscripts(node));
    case 'TestBinary':
      return /^-(?:eq|ne|lt|le|gt|ge)$/.test(node.operator)
        ? mayAssign(node.left.text + node.right.text)
        : 'none';
    default:
      return 'none';
  }
}

function subscripts({ index, operation }: Extract<SyntaxNode, { type: 'ParameterExpansion' }>): string {
  const slice = operation?.type === 'Slice' ? `${operation.offset.text}${operation.length?.text ?? ''}` : '';
  return `${index?.text ?? ''}${slice}`;
}

function mayAssign(arithmetic: string): StateEffect {
  return /=|\+\+|--/.test(arithmetic) ? 'variables' : 'none';
}

function effectOfCommand(command: Command, known: KnownShell): StateEffect {
  if (command.name === undefined) return command.prefix.some(isAssignment) ? 'variables' : 'none';
  const name = toLiteralWord(command.name)?.value;
  if (name === undefined) return 'all';
  return effectOfName(name, { args: command.args, known });
}

interface CalledCommand {
  readonly args: readonly CommandArgument[];
  readonly known: KnownShell;
}

function effectOfName(name: string, { args, known }: CalledCommand): StateEffect {
  if (known.names.has(name) || UNBOUNDED_BUILTINS.has(name)) return 'all';
  if (name === 'command' || name === 'builtin') return effectOfInner(args, known);
  if (VARIABLE_BUILTINS.has(name)) return args.some(namesFunctions) ? 'all' : 'variables';
  return STATELESS_BUILTINS.get(name)?.test(joinArguments(args)) ? 'variables' : 'none';
}

/** `command -v cd` only asks; `command cd` goes. */
function effectOfInner(args: readonly CommandArgument[], known: KnownShell): StateEffect {
  const at = args.findIndex((word) => !word.text.startsWith('-'));
  const inner = args[at];
  if (inner === undefined || args.slice(0, at).some(({ text }) => /^-.*[vV]/.test(text))) return 'none';
  const name = inner.type === 'Word' ? toLiteralWord(inner)?.value : undefined;
  if (name === undefined) return 'all';
  return effectOfName(name, { args: args.slice(at + 1), known: { ...known, names: new Set() } });
}

/** `declare -f`, `export -f`, or options that cannot be read. */
function namesFunctions(word: CommandArgument): boolean {
  return word.type === 'Word' && (/^[-+]\w*f/.test(word.text) || /^["'$`]/.test(word.text));
}

function joinArguments(args: readonly CommandArgument[]): string {
  return args.map(({ text }) => text).join(' ');
}

function isAssignment({ type }: { readonly type: string }): boolean {
  return type === 'Assignment';
}
