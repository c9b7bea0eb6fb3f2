import type { Command, CompoundList, For, Redirection, Select, Statement, SyntaxNode, While } from 'unbash';
import { walk } from '../parse/walk.ts';
import { usesOf } from './uses.ts';

/** Builtins that change what a script knows in ways that are not written out as assignments. */
const OPAQUE = new Set([
  ...[
    'eval',
    'source',
    '.',
    'alias',
    'unalias',
    'trap',
    'set',
    'shift',
    'unset',
    'shopt',
    'exec',
    'enable',
    'let',
  ],
  ...[
    'declare',
    'typeset',
    'local',
    'export',
    'readonly',
    'mapfile',
    'readarray',
    'printf',
    'getopts',
    'tee',
  ],
]);

/** Remembers what was found out about the loops of one script. */
export class Loops {
  readonly #known = new Map<CompoundList, boolean>();

  /**
   * Whether one turn of a loop can see what the turn before has set: only then a second look brings anything new. Goes by
   * the names in the text, and says yes where a name may be made up.
   */
  carryOver(body: CompoundList, again?: CompoundList): boolean {
    const carries = this.#known.get(body) ?? finds(body, again);
    this.#known.set(body, carries);
    return carries;
  }
}

function finds(body: CompoundList, again: CompoundList | undefined): boolean {
  const lists = again === undefined ? [body] : [again, body];
  const assigned = new Set<string>();
  for (const list of lists) if (!collect(list, assigned)) return true;
  if (assigned.size === 0) return false;
  const reading: Reading = { early: new Set(), sure: new Set() };
  for (const list of lists) readList(list.commands, reading);
  if (reading.early.has('')) return true;
  for (const name of reading.early) if (assigned.has(name)) return true;
  return false;
}

/** All names that are given a value; `false` where that cannot be told. */
function collect(root: SyntaxNode, assigned: Set<string>): boolean {
  let isPlain = true;
  walk(root, (node) => {
    if (node.type === 'Assignment') assigned.add(node.name);
    if (node.type === 'For' || node.type === 'Select') assigned.add(node.name.value);
    isPlain &&= isReadable(node, assigned);
    return isPlain ? 'inside' : 'past';
  });
  return isPlain;
}

function isReadable(node: SyntaxNode, assigned: Set<string>): boolean {
  if (node.type === 'Command') return collectCommand(node, assigned);
  return node.type === 'Redirected' ? !writesFile(node.redirects) : node.type !== 'Function';
}

function collectCommand(node: Command, assigned: Set<string>): boolean {
  if (writesFile(node.redirects)) return false;
  if (node.name === undefined) return true;
  if (node.name.parts !== undefined || OPAQUE.has(node.name.value)) return false;
  if (node.name.value === 'read') for (const name of readNames(node)) assigned.add(name);
  return true;
}

/** A file that is written may be run in the next turn. */
function writesFile(redirects: readonly Redirection[]): boolean {
  return redirects.some(
    (item) => item.type === 'Redirect' && item.operator.includes('>') && isFile(item.target?.value),
  );
}

function isFile(target: string | undefined): boolean {
  return target !== undefined && target !== '/dev/null' && !/^&?\d+$/.test(target);
}

interface Reading {
  /** Names that are read before this turn has set them; the empty name for anything. */
  readonly early: Set<string>;
  /** Names that this turn has set for certain. */
  readonly sure: Set<string>;
}

function readList(statements: readonly Statement[], reading: Reading): void {
  for (const { command, background } of statements) readNode(command, background ? apart(reading) : reading);
}

function apart({ early, sure }: Reading): Reading {
  return { early, sure: new Set(sure) };
}

function readNode(node: SyntaxNode, reading: Reading): void {
  if (node.type === 'Command') readCommand(node, reading);
  else if (node.type === 'For' || node.type === 'Select') readFor(node, reading);
  else if (node.type === 'While') readWhile(node, reading);
  else if (node.type === 'AndOr') {
    const [first, ...rest] = node.commands;
    if (first !== undefined) readNode(first, reading);
    const later = apart(reading);
    for (const command of rest) readNode(command, later);
  } else if (node.type === 'BraceGroup') readList(node.body.commands, reading);
  else note(node, reading);
}

function readCommand(node: Command, reading: Reading): void {
  note(node, reading);
  if (node.name?.value === 'read') for (const name of readNames(node)) reading.sure.add(name);
  if (node.name !== undefined) return;
  for (const item of node.prefix)
    if (item.type === 'Assignment' && !item.append && item.index === undefined) reading.sure.add(item.name);
}

function readFor(node: For | Select, reading: Reading): void {
  for (const word of node.wordlist ?? []) note(word, reading);
  const inner = apart(reading);
  inner.sure.add(node.name.value);
  readList(node.body.commands, inner);
}

function readWhile(node: While, reading: Reading): void {
  readList(node.clause.commands, reading);
  readList(node.body.commands, apart(reading));
}

/** Everything that is read anywhere in it counts as read before anything in it is set. */
function note(node: SyntaxNode, { early, sure }: Reading): void {
  const { variables, opaque } = usesOf(node);
  if (opaque) early.add('');
  for (const name of variables) if (!sure.has(name)) early.add(name);
}

function readNames({ args }: Command): readonly string[] {
  return args.flatMap((item) =>
    item.type === 'Word' && item.parts === undefined && /^[A-Za-z_]\w*$/.test(item.value) ? [item.value] : [],
  );
}
