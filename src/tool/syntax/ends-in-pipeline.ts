import type { PipelineNode, SyntaxNode } from 'unbash';
import { containsNode, parseCommand } from './parse-script.ts';
import { conflictsWithExitTrap } from './state-effect.ts';

/** Whether a command ends with a pipeline of several stages whose `PIPESTATUS` can be read at its end. */
export function endsInPipeline(command: string): boolean {
  if (!command.includes('|')) return false;
  const { script, errors } = parseCommand(command);
  const last = script.commands.at(-1);
  if (errors.length > 0 || last === undefined || last.background) return false;
  const ending = findLastPipeline(last.command);
  return (
    ending !== undefined &&
    isPlainPipeline(ending) &&
    !containsNode(script, isExecWithCommand) &&
    !conflictsWithExitTrap(script)
  );
}

/** In `a && b | c` a failing `a` leaves a single status, which is not reported as that of a pipeline. */
function findLastPipeline(node: SyntaxNode): PipelineNode | undefined {
  if (node.type === 'AndOr')
    return node.operators.every((operator) => operator === '&&') ? node.commands.at(-1) : undefined;
  return node.type === 'Pipeline' ? node : undefined;
}

function isPlainPipeline(node: PipelineNode): boolean {
  if (node.type !== 'Pipeline' || node.commands.length < 2) return false;
  return node.prefixes.every((prefix) => prefix.type !== 'Negation');
}

function isExecWithCommand(node: SyntaxNode): boolean {
  if (node.type !== 'Command' || node.name?.value !== 'exec') return false;
  return node.suffix.some((item) => item.type === 'Word');
}
