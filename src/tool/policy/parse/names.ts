import type { SyntaxNode } from 'unbash';
import { literalWord } from './literal.ts';
import { parse } from './script.ts';
import { walk } from './walk.ts';

/** The names of the simple commands in a text, as far as they are literal, in order, each once. */
export function commandNames(command: string): readonly string[] {
  const names = new Set<string>();
  walk(parse(command).script, (node) => {
    const literal = node.type === 'Command' && node.name ? literalWord(node.name) : null;
    if (literal !== null && literal.value !== '') names.add(literal.value);
    return 'inside';
  });
  return [...names];
}

const NAME = '[A-Za-z_][A-Za-z0-9_]*';
const IN_TEXT = new RegExp(`\\$\\{?[!#]?(${NAME})`, 'g');
const IN_PROGRAM = new RegExp(
  `(?:process\\.env|import\\.meta\\.env)\\.(${NAME})|(?:environ|env|ENV|getenv|environ\\.get)\\s*[[({]\\s*['"]?(${NAME})`,
  'g',
);

/**
 * The variables a command refers to, each once: what the shell expands, what a
 * quoted script would, what `printenv` and the usual languages look up by name.
 */
export function referencedVariables(command: string): readonly string[] {
  const names = new Set<string>();
  const addMatches = (text: string): void => {
    for (const pattern of [IN_TEXT, IN_PROGRAM])
      for (const match of text.matchAll(pattern)) names.add(match[1] ?? match[2] ?? '');
  };
  walk(parse(command).script, (node) => {
    for (const name of expandedNames(node)) names.add(name);
    for (const text of quotedTexts(node)) addMatches(text);
    return 'inside';
  });
  return [...names].filter((name) => name !== '');
}

function expandedNames(node: SyntaxNode): readonly string[] {
  if (node.type === 'SimpleExpansion') return names(node.text.slice(1));
  if (node.type === 'ParameterExpansion') return names(node.parameter);
  if (node.type === 'ArithmeticWord') return names(node.value);
  if (node.type === 'Command' && node.name?.value === 'printenv')
    return node.args.flatMap((item) => (item.type === 'Word' ? names(item.value) : []));
  return [];
}

function quotedTexts(node: SyntaxNode): readonly string[] {
  if (node.type === 'SingleQuoted') return [node.value];
  if (node.type === 'HereDocBody') return [node.text];
  if (node.type === 'DoubleQuoted') return [node.text.replaceAll('\\', '')];
  return [];
}

function names(text: string): readonly string[] {
  return new RegExp(`^${NAME}$`).test(text) ? [text] : [];
}
