import type { Redirect, SyntaxNode } from 'unbash';
import { containsNode, parseCommand } from '../syntax/parse-script.ts';

/**
 * Variables from which no program reads code, a path or a library. A lower-case name of one word belongs to the
 * script.
 */
const HARMLESS_NAMES =
  /^(?:[a-z][a-z0-9]*|LANG|LC_[A-Z]+|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR|COLUMNS|LINES|CI|NODE_ENV|RUST_BACKTRACE)$/;

/** Whether assigning a variable of this name cannot change what programs run. */
export function isHarmlessName(name: string): boolean {
  return HARMLESS_NAMES.test(name);
}

/**
 * Whether a command has effects beyond its simple commands that their rules do not cover: it writes a file,
 * sets a variable that changes what runs, or evaluates an expression that may contain code.
 */
export function hasSideEffects(command: string): boolean {
  return containsNode(parseCommand(command).script, isSideEffect);
}

const NUMERIC_EXPRESSION = /^[\d\s+*/%()<>=!&|^~?:,-]*$/;

function isSideEffect(node: SyntaxNode): boolean {
  switch (node.type) {
    case 'Assignment':
      return (
        !isHarmlessName(node.name) ||
        node.index !== undefined ||
        (node.value.type === 'ArrayValue' && node.value.elements.some(({ text }) => text.startsWith('[')))
      );
    case 'For':
    case 'Select':
      return !isHarmlessName(node.name.value);
    case 'Coproc':
      return true;
    case 'Redirect':
      return writesFile(node);
    case 'ParameterExpansion':
      return evaluatesText(node.text);
    case 'ArithmeticExpansion':
      return !NUMERIC_EXPRESSION.test(node.text.slice(3, -2));
    case 'ArithmeticCommand':
      return !NUMERIC_EXPRESSION.test(node.body);
    case 'ArithmeticFor':
      return true;
    case 'TestBinary':
      return /^-(?:eq|ne|lt|le|gt|ge)$/.test(node.operator) && !isNumeric(node.left.value, node.right.value);
    case 'TestUnary':
      return /^-[vR]$/.test(node.operator);
    default:
      return false;
  }
}

function isNumeric(...words: readonly string[]): boolean {
  return words.every((word) => /^-?\d+$/.test(word));
}

function writesFile({ operator, target }: Redirect): boolean {
  if (operator === '<' || operator === '<&') return false;
  if (operator === '>&' && /^(?:\d+-?|-)$/.test(target?.value ?? '')) return false;
  return target?.parts !== undefined || target?.value !== '/dev/null';
}

/**
 * Whether an expansion evaluates text as a name or expression: assignment, indirection, slices, subscripts and
 * `@` operators.
 */
function evaluatesText(text: string): boolean {
  const [, name, rest] = /^\$\{#?(!?[A-Za-z_]\w*|!?.)(.*)\}$/s.exec(text) ?? [];
  if (name === undefined || rest === undefined) return false;
  if (name.startsWith('!') && text !== '${!}') return true;
  if (rest.startsWith('[') && !/^\[(?:\d+|@|\*)\]/.test(rest)) return true;
  const operation = rest.replace(/^\[[^\]]*\]/, '');
  if (/^:?=/.test(operation)) return !isHarmlessName(name);
  if (/^@/.test(operation)) return true;
  return /^:(?![-+?=])/.test(operation) && !NUMERIC_EXPRESSION.test(operation);
}
