import type { Command, SyntaxNode } from 'unbash';
import { literalWord } from '../parse/literal.ts';
import { walk } from '../parse/walk.ts';

/** The names in the text of a function. */
export interface Uses {
  readonly variables: ReadonlySet<string>;
  readonly commands: ReadonlySet<string>;
  /** Whether it may look at anything: `eval`, `${!name}`, a command whose name is not written out. */
  readonly opaque: boolean;
}

export function usesOf(body: SyntaxNode): Uses {
  const variables = new Set<string>();
  const commands = new Set<string>();
  let opaque = false;
  walk(body, (node) => {
    for (const name of variablesOf(node)) variables.add(name);
    if (node.type === 'ParameterExpansion') opaque ||= node.prefix === '!';
    if (node.type === 'Command' && node.name !== undefined) {
      const name = commandOf(node);
      if (name === null) opaque = true;
      else commands.add(name);
    }
    return 'inside';
  });
  return { variables, commands, opaque };
}

function variablesOf(node: SyntaxNode): readonly string[] {
  if (node.type === 'SimpleExpansion') return [node.text.slice(1)];
  if (node.type === 'ParameterExpansion') return [node.parameter];
  if (node.type === 'Assignment') return node.append ? [node.name] : [];
  return node.type === 'ArithmeticWord' ? (node.value.match(/[A-Za-z_]\w*/g) ?? []) : [];
}

function commandOf({ name }: Command): string | null {
  const literal = name === undefined ? undefined : literalWord(name)?.value;
  return literal === undefined || /^(?:eval|source|\.|trap)$/.test(literal) ? null : literal;
}
