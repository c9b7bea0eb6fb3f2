import type { Finding } from '../judge/verdict.ts';
import type { Part } from '../state/machine.ts';
import { literalOf } from '../words/atom.ts';
import type { CompiledInterceptor, InterceptorMode, InterceptorRule } from './rule.ts';

export interface Intercepting {
  readonly rules: readonly CompiledInterceptor[];
  /** The tools there are: a rule for any other says nothing. */
  readonly tools: readonly string[];
  readonly mode: InterceptorMode;
}

interface Hit {
  readonly part: Part;
  readonly text: string;
  readonly mode: InterceptorMode;
  /** Whether there is nothing else in the call. */
  readonly alone: boolean;
}

/** Looks for simple commands that a tool of the caller does better. */
export function intercept(
  command: string,
  parts: readonly Part[],
  { rules, tools, mode }: Intercepting,
): readonly Finding[] {
  const known = rules.filter(({ rule }) => tools.includes(rule.tool));
  return parts.flatMap((part) => {
    if (part.piped || part.outer !== null) return [];
    const text = sourceText(command, part);
    const writes = part.writes.some(
      ({ target, descriptor }) => descriptor === 1 && !literalOf(target)?.startsWith('/dev/'),
    );
    const hit = known.find(({ rule, pattern }) => fits(rule.output, writes) && pattern.test(text));
    return hit === undefined ? [] : [toFinding(hit, { part, text, mode, alone: parts.length === 1 })];
  });
}

function fits(output: InterceptorRule['output'], writes: boolean): boolean {
  return output === undefined || (output === 'file') === writes;
}

/** The command as it stands in the source, its leading assignments removed. */
function sourceText(command: string, { span, assigned }: Part): string {
  let text = command.slice(span.start, span.end).trimStart();
  for (let count = assigned.length; count > 0; count -= 1) text = text.replace(ASSIGNMENT, '');
  return text.trim();
}

const ASSIGNMENT = /^[A-Za-z_]\w*\+?=(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\])*\s+/s;

function toFinding({ rule }: CompiledInterceptor, { part, text, mode, alone }: Hit): Finding {
  const { tool, message } = rule;
  const isPlain = alone && part.writes.length === 0 && part.assigned.length === 0;
  return {
    rule: 'interceptor',
    verdict: mode === 'warn' ? 'warn' : 'deny',
    message: mode === 'warn' ? message : `Blocked: ${message}`,
    found: text,
    because: '',
    via: part.via,
    span: part.span,
    suggestedTool: tool,
    // Only a call that is nothing else can be handed over whole.
    ...(isPlain ? { suggestion: { tool, command: text, words: part.argv.map(literalOf), message } } : {}),
  };
}
