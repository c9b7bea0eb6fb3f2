import { createRequire } from 'node:module';
import type {
  Assignment,
  Command,
  CommandArgument,
  ParsedScript,
  ParseError,
  Statement,
  SyntaxNode,
  Word,
  WordPart,
} from 'unbash';

/** A range of the command in UTF-16 code units. */
export interface SourceSpan {
  readonly start: number;
  readonly end: number;
}

type UnbashModule = typeof import('unbash');

const requireModule: NodeJS.Require = createRequire(import.meta.url);

/** Loads the parser on first use, because most commands do not need it. */
export function loadUnbash(): UnbashModule {
  return requireModule('unbash') as UnbashModule;
}

/** A parsed command. Positions are UTF-16 offsets into `source`. */
interface ParsedCommand {
  readonly source: string;
  readonly script: ParsedScript;
  /** Syntax errors at the top level; nested scripts have their own. */
  readonly errors: readonly ParseError[];
}

/** Parses a command. Syntax errors are returned in `errors`, not thrown. */
export function parseCommand(source: string): ParsedCommand {
  const script = loadUnbash().parse(source);
  return { source, script, errors: script.errors ?? [] };
}

/** Whether the walk descends into a node. */
type WalkStep = 'inside' | 'past';

/** Visits every node in source order, including nested scripts. */
export function walkSyntax(root: SyntaxNode, visit: (node: SyntaxNode) => WalkStep): void {
  const { forEachChild } = loadUnbash();
  // Iterative because `$((1+1+1…))` is as deep as it is long.
  const pending: SyntaxNode[] = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (visit(node) === 'past') continue;
    const children: SyntaxNode[] = [];
    forEachChild(node, (child) => {
      children.push(child);
    });
    for (const child of children.reverse()) pending.push(child);
  }
}

/** Whether a tree contains a node that satisfies the predicate. */
export function containsNode(root: SyntaxNode, predicate: (node: SyntaxNode) => boolean): boolean {
  let found = false;
  walkSyntax(root, (node) => {
    found ||= predicate(node);
    return found ? 'past' : 'inside';
  });
  return found;
}

/** Parses a command that consists of one statement in the foreground; `null` for any other command. */
export function parseSingleStatement(command: string): Statement['command'] | null {
  const { script, errors } = parseCommand(command);
  const [statement, ...others] = script.commands;
  if (errors.length > 0 || statement === undefined || others.length > 0 || statement.background) return null;
  return statement.command;
}

/** Quoting of a literal word. */
export type WordQuoting = 'bare' | 'single' | 'double';

/** A word whose value depends only on its own text. */
interface LiteralWord {
  readonly value: string;
  /** `undefined` when the word mixes kinds of quoting. */
  readonly quoting: WordQuoting | undefined;
}

/**
 * Returns the value of a word without expansions, globs and braces, or `null`. A tilde counts as literal text;
 * callers that need tilde expansion check `word.text`.
 */
export function toLiteralWord(word: Word): LiteralWord | null {
  const { parts } = word;
  if (parts === undefined) return { value: word.value, quoting: 'bare' };
  if (!parts.every(isLiteralPart)) return null;
  const [only] = parts;
  return { value: word.value, quoting: parts.length === 1 && only ? partQuoting(only) : undefined };
}

function isLiteralPart(part: WordPart): boolean {
  if (part.type === 'DoubleQuoted') return part.parts.every((child) => child.type === 'Literal');
  return part.type === 'Literal' || part.type === 'SingleQuoted' || part.type === 'AnsiCQuoted';
}

function partQuoting(part: WordPart): WordQuoting | undefined {
  if (part.type === 'SingleQuoted') return 'single';
  if (part.type === 'DoubleQuoted') return 'double';
  return part.type === 'Literal' ? 'bare' : undefined;
}

/**
 * Corrects `x=<(…)`: the parser ends the assignment at the equals sign and treats the substitution as the
 * command name; bash treats it as the value.
 */
export function repairSubstitutionAssignment(node: Command): Command {
  const { name, prefix } = node;
  const last = prefix.at(-1);
  if (name === undefined || last?.type !== 'Assignment' || !continuesAssignment(last, name)) return node;
  // Not spread, because the fields of parser nodes are not all own properties.
  const { type, pos, text, name: variable } = last;
  const assignments: Assignment[] = [
    { type, pos, end: name.end, text, name: variable, value: name, append: last.append, index: last.index },
  ];
  const rest: CommandArgument[] = [...node.args];
  for (let next = rest[0]; next !== undefined && looksLikeAssignment(next); next = rest[0]) {
    if (next.type === 'Assignment') assignments.push(next);
    rest.shift();
  }
  const [word] = rest;
  return {
    type: 'Command',
    pos: node.pos,
    end: node.end,
    name: word?.type === 'Word' ? word : undefined,
    prefix: [...prefix.slice(0, -1), ...assignments],
    suffix: node.suffix,
    args: rest.slice(1),
    redirects: node.redirects,
  };
}

function continuesAssignment({ value, end }: Assignment, name: Word): boolean {
  return value.type === 'Word' && value.text === '' && end === name.pos && /^[<>]\(/.test(name.text);
}

function looksLikeAssignment(item: CommandArgument): boolean {
  return item.type === 'Assignment' || /^[A-Za-z_]\w*\+?=/.test(item.text);
}
