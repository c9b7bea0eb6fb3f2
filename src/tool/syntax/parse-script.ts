import { createRequire } from 'node:module';
import type {
  Assignment,
  Command,
  CommandArgument,
  CommandExpansionPart,
  ParsedScript,
  ParseError,
  SyntaxNode,
  Word,
  WordPart,
} from 'unbash';

/** A stretch of the command, in UTF-16 units. */
export interface SourceSpan {
  readonly start: number;
  readonly end: number;
}

type UnbashModule = typeof import('unbash');

const requireModule: NodeJS.Require = createRequire(import.meta.url);

/** The parser, read from disk the first time it is asked for: most commands never need it. */
export function loadUnbash(): UnbashModule {
  return requireModule('unbash') as UnbashModule;
}

/** A command as bash will read it. Positions are UTF-16 offsets into `source`. */
export interface ParsedCommand {
  readonly source: string;
  readonly script: ParsedScript;
  /** What the grammar did not allow at the top level; nested scripts carry their own. */
  readonly errors: readonly ParseError[];
}

/** Never throws: what cannot be read is in `errors`, beside the part that can. */
export function parseCommand(source: string): ParsedCommand {
  const script = loadUnbash().parse(source);
  return { source, script, errors: script.errors ?? [] };
}

/** Whether to look inside a node. */
export type WalkStep = 'inside' | 'past';

/** Visits every node in the order of the source, nested scripts included. */
export function walkSyntax(root: SyntaxNode, visit: (node: SyntaxNode) => WalkStep): void {
  const { forEachChild } = loadUnbash();
  // Not recursive: `$((1+1+1…))` is as deep as it is long.
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

/**
 * A script in backticks that holds escapes is parsed from its decoded text, so
 * its positions are no positions of the command.
 */
export function isDecodedScript(script: ParsedScript | undefined): boolean {
  return script?.source !== undefined;
}

/** Backticks remove one level of backslashes before their text is read. */
export function isBacktickSubstitution(part: CommandExpansionPart): boolean {
  return part.text.startsWith('`');
}

/** How a word that bash takes as it is was written. */
export type WordQuoting = 'bare' | 'single' | 'double';

/** A word whose value does not depend on anything but its own text. */
export interface LiteralWord {
  readonly value: string;
  /** `undefined` when several kinds of quoting meet in one word. */
  readonly quoting: WordQuoting | undefined;
}

/**
 * The value of a word without expansions, globs and braces, or `null`.
 * A tilde counts as literal text here: who cares about it looks at `word.text`.
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
 * The parser ends `x=<(…)` at the equals sign and takes the substitution for the name of the command; for bash it is the value,
 * and the command is what follows.
 */
export function repairSubstitutionAssignment(node: Command): Command {
  const { name, prefix } = node;
  const last = prefix.at(-1);
  if (name === undefined || last?.type !== 'Assignment' || !continuesAssignment(last, name)) return node;
  // Not spread: what the parser gives has its fields elsewhere.
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
