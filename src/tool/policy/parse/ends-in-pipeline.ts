import type { Command, PipelineNode, SyntaxNode } from 'unbash';
import { parse } from './script.ts';
import { trapUse } from './trap-use.ts';
import { walk } from './walk.ts';

/**
 * Whether the last thing a command does is a pipeline of several stages, so that
 * `PIPESTATUS` at its end tells about them, and nothing in sight takes the end away.
 */
export function endsInPipeline(command: string): boolean {
  if (!command.includes('|')) return false;
  const { script, errors } = parse(command);
  const last = script.commands.at(-1);
  if (errors.length > 0 || last === undefined || last.background) return false;
  const ending = lastOf(last.command);
  return ending !== undefined && isPlainPipeline(ending) && !replacesShell(script) && !trapUse(script);
}

/** In `a && b | c` a failing `a` leaves one status, which is no pipeline's. */
function lastOf(node: SyntaxNode): PipelineNode | undefined {
  if (node.type === 'AndOr')
    return node.operators.every((operator) => operator === '&&') ? node.commands.at(-1) : undefined;
  return node.type === 'Pipeline' ? node : undefined;
}

function isPlainPipeline(node: PipelineNode): boolean {
  if (node.type !== 'Pipeline' || node.commands.length < 2) return false;
  return node.prefixes.every((prefix) => prefix.type !== 'Negation');
}

function replacesShell(root: SyntaxNode): boolean {
  let found = false;
  walk(root, (node) => {
    found ||= node.type === 'Command' && isExec(node);
    return found ? 'past' : 'inside';
  });
  return found;
}

function isExec(command: Command): boolean {
  return command.name?.value === 'exec' && command.suffix.some((item) => item.type === 'Word');
}
