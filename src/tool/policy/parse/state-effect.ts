import type { Command, CommandArgument, SyntaxNode } from 'unbash';
import { ALL, STATELESS, VARIABLES } from './builtins.ts';
import { literalWord } from './literal.ts';
import { parse } from './script.ts';
import { trapUse } from './trap-use.ts';
import { walk } from './walk.ts';

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
const PLAIN = /^\s*(?!(?:time|coproc)\s)([\w./-]+)(?:[ \t]+[\w./:@%+,=-]+)*\s*$/;

/** What a command can do to its shell. What cannot be told counts as anything. */
export function stateEffect(command: string, known: KnownShell): CommandEffect {
  const [, first] = PLAIN.exec(command) ?? [];
  if (first !== undefined && !known.names.has(first) && !isBuiltin(first)) return NO_EFFECT;
  const { script, errors } = parse(command);
  if (errors.length > 0) return { effect: 'all', trapsEnd: /\btrap\b/.test(command) };
  let effect: StateEffect = 'none';
  walk(script, (node) => {
    if (isElsewhere(node, known)) return 'past';
    effect = stronger(effect, effectOf(node, known));
    return 'inside';
  });
  return { effect, trapsEnd: trapUse(script) };
}

const NO_EFFECT: CommandEffect = { effect: 'none', trapsEnd: false };

function isBuiltin(name: string): boolean {
  return STATELESS.has(name) || VARIABLES.has(name) || ALL.has(name);
}

function stronger(one: StateEffect, other: StateEffect): StateEffect {
  if (one === 'all' || other === 'all') return 'all';
  return one === 'variables' ? one : other;
}

/** Whether a part runs in a shell of its own, whose changes nobody sees. */
function isElsewhere(node: SyntaxNode, { lastPipe }: KnownShell): boolean {
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
  const name = literalWord(command.name)?.value;
  if (name === undefined) return 'all';
  return effectOfName(name, { args: command.args, known });
}

interface Called {
  readonly args: readonly CommandArgument[];
  readonly known: KnownShell;
}

function effectOfName(name: string, { args, known }: Called): StateEffect {
  if (known.names.has(name) || ALL.has(name)) return 'all';
  if (name === 'command' || name === 'builtin') return effectOfInner(args, known);
  if (VARIABLES.has(name)) return args.some(namesFunctions) ? 'all' : 'variables';
  return STATELESS.get(name)?.test(wordsOf(args)) ? 'variables' : 'none';
}

/** `command -v cd` only asks; `command cd` goes. */
function effectOfInner(args: readonly CommandArgument[], known: KnownShell): StateEffect {
  const at = args.findIndex((word) => !word.text.startsWith('-'));
  const inner = args[at];
  if (inner === undefined || args.slice(0, at).some(({ text }) => /^-.*[vV]/.test(text))) return 'none';
  const name = inner.type === 'Word' ? literalWord(inner)?.value : undefined;
  if (name === undefined) return 'all';
  return effectOfName(name, { args: args.slice(at + 1), known: { ...known, names: new Set() } });
}

/** `declare -f`, `export -f`, or options that cannot be read. */
function namesFunctions(word: CommandArgument): boolean {
  return word.type === 'Word' && (/^[-+]\w*f/.test(word.text) || /^["'$`]/.test(word.text));
}

function wordsOf(args: readonly CommandArgument[]): string {
  return args.map(({ text }) => text).join(' ');
}

function isAssignment({ type }: { readonly type: string }): boolean {
  return type === 'Assignment';
}
