import type { Command, SyntaxNode, Word } from 'unbash';
import type { State } from '../state/state.ts';
import { isArray } from '../state/value.ts';

/** After `[ -n "$x" ]` has said yes, `x` is not empty. */
export function narrow(condition: SyntaxNode | undefined, state: State): void {
  const name = filledName(condition);
  const variable = name === null ? undefined : state.get('variable', name);
  if (name === null || variable === undefined) return;
  const options = variable.options.filter((value) => isArray(value) || value.length > 0);
  if (options.length > 0 && options.length < variable.options.length)
    state.set('variable', name, { ...variable, options });
}

/** The variable that a condition requires to hold something. */
function filledName(node: SyntaxNode | undefined): string | null {
  switch (node?.type) {
    case 'CompoundList':
      return node.commands.length === 1 ? filledName(node.commands[0]?.command) : null;
    case 'AndOr':
      return node.operators.includes('||') ? null : filledName(node.commands[0]);
    case 'TestCommand':
      return node.expression.type === 'TestUnary' && node.expression.operator === '-n'
        ? nameOf(node.expression.operand)
        : null;
    case 'Command':
      return /^(?:\[|test)$/.test(node.name?.value ?? '') ? testedName(node) : null;
    default:
      return null;
  }
}

function testedName({ args }: Command): string | null {
  const words = args.filter((item) => item.type === 'Word');
  const given = words.at(-1)?.value === ']' ? words.slice(0, -1) : words;
  const [first, second] = given;
  if (given.length === 1) return nameOf(first);
  return given.length === 2 && first?.value === '-n' ? nameOf(second) : null;
}

/** `"$x"`, `"${x}"`, `$x`. */
function nameOf(word: Word | undefined): string | null {
  return /^"?\$\{?([A-Za-z_]\w*)\}?"?$/.exec(word?.text ?? '')?.[1] ?? null;
}
