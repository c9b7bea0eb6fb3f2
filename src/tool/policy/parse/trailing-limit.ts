import type { CommandNode, SyntaxNode } from 'unbash';
import { parse } from './script.ts';
import { walk } from './walk.ts';

/** A command without the `head` and `tail` it ended with. Head applies before tail. */
export interface TrailingLimit {
  readonly command: string;
  readonly head?: number;
  readonly tail?: number;
}

interface Limit {
  readonly kind: 'head' | 'tail';
  readonly lines: number;
}

/** Takes `| head -n N`, `| head -N`, `| tail -n N`, `| tail -N` off the end of the one pipeline of a command. */
export function trailingLimit(command: string): TrailingLimit | null {
  if (!/\|\s*(?:head|tail)\s+-/.test(command)) return null;
  const { script, errors } = parse(command);
  const [statement, ...others] = script.commands;
  if (errors.length > 0 || statement === undefined || others.length > 0 || statement.background) return null;
  const pipeline = statement.command;
  if (pipeline.type !== 'Pipeline' || pipeline.prefixes.length > 0 || hasHereDoc(script)) return null;

  const limits = pipeline.commands.map(limitOf);
  const last = pipeline.commands.length - 1;
  const final = limits[last];
  if (!final || pipeline.operators[last - 1] !== '|') return null;
  const before = limits[last - 1];
  const both = final.kind === 'tail' && before?.kind === 'head' && pipeline.operators[last - 2] === '|';
  const kept = pipeline.commands[both ? last - 2 : last - 1];
  if (kept === undefined) return null;
  return {
    command: command.slice(0, kept.end).trim(),
    ...(both ? { head: before.lines } : {}),
    [final.kind]: final.lines,
  };
}

function limitOf(command: CommandNode): Limit | undefined {
  if (command.type !== 'Command' || command.prefix.length > 0) return undefined;
  const kind = command.name?.text;
  if (kind !== 'head' && kind !== 'tail') return undefined;
  const words = command.suffix.map((item) => (item.type === 'Word' ? item.text : '>'));
  const lines = /^(?:-n )?-?(\d{1,9})$/.exec(words.join(' '));
  const shape = words.length === 2 ? /^-n \d+$/ : /^-\d+$/;
  return lines && shape.test(words.join(' ')) ? { kind, lines: Number(lines[1]) } : undefined;
}

function hasHereDoc(root: SyntaxNode): boolean {
  let found = false;
  walk(root, (node) => {
    found ||= node.type === 'HereDoc';
    return found ? 'past' : 'inside';
  });
  return found;
}
