import type {
  ArithmeticCommandExpansion,
  CommandExpansionPart,
  ProcessSubstitutionPart,
  SyntaxNode,
} from 'unbash';
import { walk } from '../parse/walk.ts';
import type { Frame } from '../state/machine.ts';
import { isArray } from '../state/value.ts';
import type { Field } from '../words/atom.ts';
import { toField } from '../words/atom.ts';
import { concat } from '../words/join.ts';
import type { Runner } from './runner.ts';

/** Runs the substitutions inside words, tests and sums whose own value is not needed. */
export function visitNested(root: SyntaxNode, frame: Frame, runner: Runner): void {
  walk(root, (node) => {
    if (node.type === 'Script') return 'past';
    if (isSubstitution(node)) {
      runPart(node, frame, runner);
      return 'past';
    }
    for (const text of expandedAgain(node, frame)) runText(text, frame, runner);
    return 'inside';
  });
}

type Substitution = CommandExpansionPart | ProcessSubstitutionPart | ArithmeticCommandExpansion;

function isSubstitution(node: SyntaxNode): node is Substitution {
  const { type } = node;
  return (
    type === 'CommandExpansion' || type === 'ProcessSubstitution' || type === 'ArithmeticCommandExpansion'
  );
}

function runPart(part: Substitution, frame: Frame, runner: Runner): void {
  if (part.script === undefined) return;
  const span = frame.place(part.pos, part.end);
  const place = part.script.source === undefined ? frame.place : () => span;
  const label = part.type === 'ProcessSubstitution' ? `${part.operator}( )` : '$( )';
  runner.runScript(part.script, { ...frame, place, via: [...frame.via, label] });
}

const ARITHMETIC_TESTS = /^-(?:eq|ne|lt|le|gt|ge)$/;

/** Texts that arithmetic expands once more when it meets them: `a[$(command)]`. */
function expandedAgain(node: SyntaxNode, { state }: Frame): readonly Field[] {
  if (node.type === 'ArithmeticWord' && /^[A-Za-z_]\w*$/.test(node.value)) {
    const options = state.get('variable', node.value)?.options ?? [];
    return options.flatMap((value) => (isArray(value) ? [] : [value]));
  }
  if (node.type === 'ArithmeticExpansion') return /['"]/.test(node.text) ? [toField(node.text)] : [];
  if (node.type === 'ArithmeticCommand') return /['"]/.test(node.body) ? [toField(node.body)] : [];
  if (node.type === 'TestBinary' && ARITHMETIC_TESTS.test(node.operator))
    return [toField(node.left.value), toField(node.right.value)];
  return [];
}

function runText(text: Field, frame: Frame, runner: Runner): void {
  const hasCode = text.some((atom) => atom.kind === 'text' && /\[.*(?:\$\(|`)/s.test(atom.text));
  if (!hasCode) return;
  const child = { ...frame, state: frame.state.fork(), output: undefined, depth: frame.depth + 1 };
  runner.runTexts([concat(toField(': <<_\n'), text, toField('\n_\n'))], child);
}
