import type { Command, CommandArgument, ParsedScript, SyntaxNode } from 'unbash';
import { wordList } from '../../engine/text/word-list.ts';
import { containsNode, parseCommand, toLiteralWord, walkSyntax } from './parse-script.ts';

const STATELESS_BUILTINS: ReadonlySet<string> = new Set(
  wordList(`
    : [ bg bind break builtin caller command compgen complete compopt continue dirs disown echo enable exec exit
    false fc fg hash help history jobs kill logout printf pwd return shift suspend test times trap true type
    ulimit wait
  `),
);

/** Arguments with which a stateless builtin changes variables. */
const STATEFUL_ARGUMENTS: ReadonlyMap<string, RegExp> = new Map([
  ['compgen', /-V/],
  ['dirs', /-c/],
  ['fc', /-s/],
  ['jobs', /-x/],
  ['printf', /^-\w*v|^["']?[$`]|%n/],
  ['trap', /./],
  ['wait', /-\w*p/],
]);

/** Builtins that change variables, the directory, options or aliases. */
const VARIABLE_BUILTINS: ReadonlySet<string> = new Set(
  wordList(`
  alias cd declare export getopts let local mapfile popd pushd read readarray readonly set shopt typeset
  umask unalias
`),
);

/** Builtins that can change anything. */
const UNBOUNDED_BUILTINS: ReadonlySet<string> = new Set(['.', 'eval', 'source', 'unset']);

/**
 * Whether a script sets or lists traps, so that the exit trap added by nacre would be replaced or visible. `set
 * -v`, restricted mode and a DEBUG trap would reveal it, too.
 */
export function conflictsWithExitTrap(script: ParsedScript): boolean {
  return containsNode(
    script,
    (node) => node.type === 'Command' && (touchesExitTrap(node) || changesShellMode(node)),
  );
}

/** After `set -v` bash prints the input it reads, including traps; after `set -r` it cannot write files. */
function changesShellMode({ name, args }: Command): boolean {
  return name?.value === 'set' && args.some(({ text }) => /^-[A-Za-z]*[rv]|verbose|restricted/.test(text));
}

function touchesExitTrap(command: Command): boolean {
  const words = [...(command.name ? [command.name] : []), ...command.args];
  const literals = words.map((word) => (word.type === 'Word' ? (toLiteralWord(word)?.value ?? null) : null));
  // Skips `command trap` and `builtin trap`.
  const at = literals.findIndex((word) => word !== 'command' && word !== 'builtin');
  if (literals[at] !== 'trap') return false;
  const [action, ...signals] = literals.slice(at + 1).filter((word) => word !== '--');
  if (action === undefined || signals.length === 0) return true;
  return (
    signals.some((signal) => signal === null || /^(?:(?:SIG)?EXIT|0|DEBUG)$/i.test(signal)) || action === '-p'
  );
}

/** What a command can change in its shell: nothing, everything except functions, or anything. */
type StateEffect = 'none' | 'variables' | 'all';

/** Properties of the shell before the command runs. */
interface KnownShell {
  /** Names of functions and aliases. */
  readonly names: ReadonlySet<string>;
  /** Whether the last stage of a pipeline runs in the shell itself (`lastpipe`). */
  readonly lastPipe: boolean;
}

/** The effects of a command on its shell. */
export interface CommandEffect {
  readonly effect: StateEffect;
  /** Whether the command conflicts with an added exit trap. */
  readonly usesExitTrap: boolean;
}

/** A single program with literal words. `time` and `coproc` are keywords. */
const PLAIN_COMMAND = /^\s*(?!(?:time|coproc)\s)([\w./-]+)(?:[ \t]+[\w./:@%+,=-]+)*\s*$/;

/** Returns what a command can change in its shell; an unclear case counts as `all`. */
export function analyzeStateEffect(command: string, known: KnownShell): CommandEffect {
  const [, first] = PLAIN_COMMAND.exec(command) ?? [];
  if (first !== undefined && !known.names.has(first) && !isBuiltin(first)) return NO_EFFECT;
  const { script, errors } = parseCommand(command);
  if (errors.length > 0) return { effect: 'all', usesExitTrap: /\btrap\b/.test(command) };
  let effect: StateEffect = 'none';
  walkSyntax(script, (node) => {
    if (runsInSubshell(node, known)) return 'past';
    effect = strongerEffect(effect, effectOf(node, known));
    return 'inside';
  });
  return { effect, usesExitTrap: conflictsWithExitTrap(script) };
}

const NO_EFFECT: CommandEffect = { effect: 'none', usesExitTrap: false };

function isBuiltin(name: string): boolean {
  return STATELESS_BUILTINS.has(name) || VARIABLE_BUILTINS.has(name) || UNBOUNDED_BUILTINS.has(name);
}

function strongerEffect(one: StateEffect, other: StateEffect): StateEffect {
  if (one === 'all' || other === 'all') return 'all';
  return one === 'variables' ? one : other;
}

/** Whether a node runs in a subshell, whose changes are lost. */
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
  if (command.name === undefined)
    return command.prefix.some(({ type }) => type === 'Assignment') ? 'variables' : 'none';
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
  return STATEFUL_ARGUMENTS.get(name)?.test(joinArguments(args)) ? 'variables' : 'none';
}

/** `command -v cd` only prints; `command cd` changes the directory. */
function effectOfInner(args: readonly CommandArgument[], known: KnownShell): StateEffect {
  const at = args.findIndex((word) => !word.text.startsWith('-'));
  const inner = args[at];
  if (inner === undefined || args.slice(0, at).some(({ text }) => /^-.*[vV]/.test(text))) return 'none';
  const name = inner.type === 'Word' ? toLiteralWord(inner)?.value : undefined;
  if (name === undefined) return 'all';
  return effectOfName(name, { args: args.slice(at + 1), known: { ...known, names: new Set() } });
}

/** `declare -f`, `export -f`, or options that are not literal. */
function namesFunctions(word: CommandArgument): boolean {
  return word.type === 'Word' && (/^[-+]\w*f/.test(word.text) || /^["'$`]/.test(word.text));
}

function joinArguments(args: readonly CommandArgument[]): string {
  return args.map(({ text }) => text).join(' ');
}
