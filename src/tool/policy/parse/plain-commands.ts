import type { Command, SyntaxNode, Word } from 'unbash';
import { literalWord } from './literal.ts';
import { parse } from './script.ts';

/** A simple command's words; what is not literal is an empty text. */
export type Words = readonly string[];

/**
 * The commands of a list (`a; b && c`) in order, or `null` when there is anything in it whose output is not
 * simply printed one after the other: a pipeline, a background command, a loop, an `||`.
 */
export function plainCommands(command: string): readonly Words[] | null {
  const { script, errors } = parse(command);
  if (errors.length > 0 || script.commands.some(({ background }) => background)) return null;
  const found: Words[] = [];
  for (const { command: node } of script.commands) {
    const words = wordsOf(node);
    if (words === null) return null;
    found.push(...words);
  }
  return found;
}

function wordsOf(node: SyntaxNode): Words[] | null {
  if (node.type === 'Command') return [commandWords(node)];
  if (node.type === 'Pipeline') {
    const [only, ...others] = node.commands;
    return only === undefined || others.length > 0 ? null : wordsOf(only);
  }
  if (node.type !== 'AndOr' || node.operators.some((operator) => operator !== '&&')) return null;
  const all = node.commands.map(wordsOf);
  return all.every((words) => words !== null) ? all.flat() : null;
}

function commandWords({ name, suffix }: Command): Words {
  const words = suffix.filter((item): item is Word => item.type === 'Word');
  return [...(name ? [name] : []), ...words].map((word) => literalWord(word)?.value ?? '');
}
