import { NacreError } from '../../../errors.ts';
import type { Limits } from '../state/budget.ts';
import type { Finding } from './verdict.ts';

/** Refuses texts that would hold the parser for long, before it sees them. */
export function checkSize(command: string, { maxLength }: Limits): void {
  if (command.length > maxLength)
    throw new NacreError('policy_limit', { limit: `more than ${maxLength} characters` });
  const openings = command.match(OPENINGS)?.length ?? 0;
  if (openings > MAX_OPENINGS)
    throw new NacreError('policy_limit', { limit: `more than ${MAX_OPENINGS} opening brackets in a row` });
}

// Unclosed ones cost the square of their number.
const OPENINGS = /\{[^\s{}]*,|\$\(|\$\{|<\(|\(\(|`/g;
const MAX_OPENINGS = 20_000;

/** What exceeded the budget, or anything else that kept us from looking, is refused. */
export function failureFinding(error: unknown, command: string): Finding {
  const limit = limitOf(error);
  return {
    rule: 'too_complex',
    verdict: 'deny',
    message: `permission denied: this command is too complex to be checked: ${limit}. Write it to a script file, or run its parts one by one`,
    found: command.length > 80 ? `${command.slice(0, 80)}…` : command,
    because: limit,
    via: [],
    span: { start: 0, end: command.length },
    instead: 'shorter commands, one after the other',
  };
}

function limitOf(error: unknown): string {
  if (error instanceof NacreError && error.code === 'policy_limit') return String(error.fields.limit);
  if (error instanceof RangeError) return 'too deeply nested';
  throw error;
}
