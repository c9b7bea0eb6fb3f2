import type { Command, ParsedScript, SyntaxNode } from 'unbash';
import { literalWord } from './literal.ts';
import { walk } from './walk.ts';

/**
 * Whether a script sets a trap where one of ours would be, or lists traps and would see ours. A DEBUG trap would be run
 * for the commands of ours, a shell that prints what it reads would print it, and a restricted one would say that it may not.
 */
export function trapUse(script: ParsedScript): boolean {
  let found = false;
  const look = (node: SyntaxNode): 'inside' | 'past' => {
    found ||= node.type === 'Command' && (meetsOurs(node) || changesShell(node));
    return found ? 'past' : 'inside';
  };
  walk(script, look);
  return found;
}

/** After `set -v` bash prints whatever it reads, traps included; after `set -r` it writes no files. */
function changesShell({ name, args }: Command): boolean {
  return name?.value === 'set' && args.some(({ text }) => /^-[A-Za-z]*[rv]|verbose|restricted/.test(text));
}

function meetsOurs(command: Command): boolean {
  const words = [...(command.name ? [command.name] : []), ...command.args];
  const literals = words.map((word) => (word.type === 'Word' ? (literalWord(word)?.value ?? null) : null));
  // `command trap`, `builtin trap`
  const at = literals.findIndex((word) => word !== 'command' && word !== 'builtin');
  if (literals[at] !== 'trap') return false;
  const [action, ...signals] = literals.slice(at + 1).filter((word) => word !== '--');
  if (action === undefined || signals.length === 0) return true;
  return (
    signals.some((signal) => signal === null || /^(?:(?:SIG)?EXIT|0|DEBUG)$/i.test(signal)) || action === '-p'
  );
}
