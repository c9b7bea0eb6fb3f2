import type { Command, Statement, SyntaxNode } from 'unbash';
import { unbash } from '../parse/unbash.ts';
import type { Span } from '../state/state.ts';

/** A command of the text, with what surrounds it. */
export interface FoundCommand {
  readonly node: Command;
  /** `null` when the name is not written out. */
  readonly name: string | null;
  readonly around: Around;
}

/** Something that gives a variable its value. */
export interface FoundName {
  readonly name: string;
  readonly span: Span;
  readonly around: Around;
}

/** What a node is part of. */
export interface Around {
  /** The pipeline it is a stage of, or the command itself. */
  readonly pipeline: Span | null;
  readonly statement: Span;
  /** Where it hangs on the command: its own text may stand elsewhere, or in a decoded copy. */
  readonly anchors: readonly number[];
  /** Whether positions are those of the command. */
  readonly placed: boolean;
}

/** Everything a text does that might matter, by kind. */
export interface Survey {
  readonly commands: readonly FoundCommand[];
  readonly assignments: readonly FoundName[];
  readonly functions: readonly FoundName[];
  /** `for`, `select` and `case`: the span is that of the words. */
  readonly choices: readonly FoundName[];
  readonly statements: readonly Statement[];
}

interface Pending {
  readonly node: SyntaxNode;
  readonly around: Around;
}

/** Reads a whole tree once, nested scripts included. */
export function survey(root: SyntaxNode): Survey {
  const { forEachChild } = unbash();
  const found = {
    commands: [],
    assignments: [],
    functions: [],
    choices: [],
    statements: [],
  } satisfies Survey;
  const start: Around = { pipeline: null, statement: spanOf(root), anchors: [], placed: true };
  const pending: Pending[] = [{ node: root, around: start }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    note(next, found);
    const around = inner(next);
    forEachChild(next.node, (child) => pending.push({ node: child, around }));
  }
  return found;
}

interface Finding {
  readonly commands: FoundCommand[];
  readonly assignments: FoundName[];
  readonly functions: FoundName[];
  readonly choices: FoundName[];
  readonly statements: Statement[];
}

function note({ node, around }: Pending, found: Finding): void {
  switch (node.type) {
    case 'Statement':
      if (around.placed) found.statements.push(node);
      return;
    case 'Command': {
      const name = node.name === undefined ? '' : node.name.parts === undefined ? node.name.value : null;
      if (node.name !== undefined || node.redirects.length > 0) found.commands.push({ node, name, around });
      return;
    }
    case 'Assignment':
      found.assignments.push({ name: node.name, span: spanOf(node), around });
      return;
    case 'Function':
      found.functions.push({ name: node.name.value, span: spanOf(node), around });
      return;
    case 'For':
    case 'Select':
      found.choices.push({ name: node.name.value, span: { start: node.pos, end: node.body.pos }, around });
      return;
    case 'Case':
      found.choices.push({ name: '', span: spanOf(node.word), around });
  }
}

/** What the children of a node are part of. */
function inner({ node, around }: Pending): Around {
  switch (node.type) {
    case 'Statement':
      return { ...around, statement: spanOf(node), pipeline: null };
    case 'Pipeline':
      return node.commands.length > 1 ? { ...around, pipeline: around.pipeline ?? spanOf(node) } : around;
    case 'HereDoc':
      return { ...around, anchors: [...around.anchors, node.pos] };
    case 'CommandExpansion':
      return node.script?.source === undefined
        ? around
        : { ...around, placed: false, anchors: [...around.anchors, node.pos] };
    default:
      return around;
  }
}

export function spanOf({ pos, end }: { readonly pos: number; readonly end: number }): Span {
  return { start: pos, end };
}
