import type { Redirect, SyntaxNode } from 'unbash';
import { parseCommand, walkSyntax } from '../syntax/parse-script.ts';

/** Variables that no program takes code, a path or a library from; names of a script's own are lower case, in one word. */
const HARMLESS =
  /^(?:[a-z][a-z0-9]*|LANG|LC_[A-Z]+|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR|COLUMNS|LINES|CI|NODE_ENV|RUST_BACKTRACE)$/;

export function isHarmlessName(name: string): boolean {
  return HARMLESS.test(name);
}

/**
 * Whether a command does something besides running its simple commands that a rule for these does not allow: it writes a
 * file by a redirection, sets a variable that changes what runs, or evaluates an expression in which code can stand.
 */
export function hasSideEffects(command: string): boolean {
  let found = false;
  walkSyntax(parseCommand(command).script, (node) => {
    found ||= isSideEffect(node);
    return found ? 'past' : 'inside';
  });
  return found;
}

const NUMBERS = /^[\d\s+*/%()<>=!&|^~?:,-]*$/;

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
      return evaluates(node.text);
    case 'ArithmeticExpansion':
      return !NUMBERS.test(node.text.slice(3, -2));
    case 'ArithmeticCommand':
      return !NUMBERS.test(node.body);
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

/** Assigning, indirect, sliced, subscripted and prompt expansions evaluate a text as a name or an expression. */
function evaluates(text: string): boolean {
  const [, name, rest] = /^\$\{#?(!?[A-Za-z_]\w*|!?.)(.*)\}$/s.exec(text) ?? [];
  if (name === undefined || rest === undefined) return false;
  if (name.startsWith('!') && text !== '${!}') return true;
  if (rest.startsWith('[') && !/^\[(?:\d+|@|\*)\]/.test(rest)) return true;
  const operation = rest.replace(/^\[[^\]]*\]/, '');
  if (/^:?=/.test(operation)) return !isHarmlessName(name);
  if (/^@/.test(operation)) return true;
  return /^:(?![-+?=])/.test(operation) && !NUMBERS.test(operation);
}
