import type { CommandExpansionPart, ParsedScript, SyntaxNode } from 'unbash';
import { unbash } from './unbash.ts';

/** Whether to look inside a node. */
export type Descend = 'inside' | 'past';

/** Visits every node in the order of the source, nested scripts included. */
export function walk(root: SyntaxNode, visit: (node: SyntaxNode) => Descend): void {
  const { forEachChild } = unbash();
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
export function isDecoded(script: ParsedScript | undefined): boolean {
  return script?.source !== undefined;
}

/** Backticks remove one level of backslashes before their text is read. */
export function isBacktick(part: CommandExpansionPart): boolean {
  return part.text.startsWith('`');
}
