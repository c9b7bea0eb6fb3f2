import type { Command, SyntaxNode, Word } from 'unbash';
import { parseCommand, toLiteralWord } from './parse-script.ts';

/** The words of a simple command; a word that is not literal is an empty string. */
type LiteralWords = readonly string[];

/**
 * Returns the commands of a list (`a; b && c`) in order, or `null` when the outputs may not simply follow each
 * other: with a pipeline, a background command, a loop or `||`.
 */
export function parsePlainCommands(command: string): readonly LiteralWords[] | null {
  const { script, errors } = parseCommand(command);
  if (errors.length > 0 || script.commands.some(({ background }) => background)) return null;
  const found: LiteralWords[] = [];
  for (const { command: node } of script.commands) {
    const words = collectCommandWords(node);
    if (words === null) return null;
    found.push(...words);
  }
  return found;
}

function collectCommandWords(node: SyntaxNode): LiteralWords[] | null {
  if (node.type === 'Command') return [toLiteralWords(node)];
  if (node.type === 'Pipeline') {
    const [only, ...others] = node.commands;
    return only === undefined || others.length > 0 ? null : collectCommandWords(only);
  }
  if (node.type !== 'AndOr' || node.operators.some((operator) => operator !== '&&')) return null;
  const all = node.commands.map(collectCommandWords);
  return all.every((words) => words !== null) ? all.flat() : null;
}

function toLiteralWords({ name, suffix }: Command): LiteralWords {
  const words = suffix.filter((item): item is Word => item.type === 'Word');
  return [...(name ? [name] : []), ...words].map((word) => toLiteralWord(word)?.value ?? '');
}
