import { NacreError } from '../../errors.ts';
import * as check from '../../validator.ts';
import type { InterceptorMode, InterceptorRule } from '../contract/policy-options.ts';
import type { Finding } from '../contract/policy-verdict.ts';
import { compileRulePattern, filledText, type RuleShape } from '../policy/rules/rule-shape.ts';
import type { CommandPart } from '../policy/values/command-evaluation.ts';
import { toLiteral } from '../policy/values/field.ts';

/** A validated interceptor rule. */
export interface CompiledInterceptorRule {
  readonly rule: InterceptorRule;
  readonly pattern: RegExp;
}

const INTERCEPTOR_RULE_SHAPE: RuleShape<InterceptorRule> = {
  pattern: filledText,
  flags: check.text,
  tool: filledText,
  message: filledText,
  output: check.oneOf('file', 'shown'),
};

const REQUIRED_FIELDS = ['pattern', 'tool', 'message'];

/**
 * Validates and compiles interceptor rules.
 *
 * @throws {NacreError} `rule_invalid`
 */
export function compileInterceptorRules(
  rules: readonly InterceptorRule[],
): readonly CompiledInterceptorRule[] {
  return rules.map((rule, index) => {
    const name = `interceptor rule ${index + 1}`;
    const problem = check.findShapeProblem(rule, INTERCEPTOR_RULE_SHAPE, REQUIRED_FIELDS);
    if (problem !== null) throw new NacreError('rule_invalid', { rule: name, problem });
    const fail = (invalid: string): never => {
      throw new NacreError('rule_invalid', { rule: `${name} (${rule.pattern})`, problem: invalid });
    };
    return { rule, pattern: compileRulePattern(rule, fail) };
  });
}

/** Default interceptor rules for operations that agents usually have a tool for. */
export const DEFAULT_INTERCEPTOR_RULES: readonly InterceptorRule[] = [
  {
    pattern: String.raw`^(?:echo|printf)\b`,
    tool: 'write',
    output: 'file',
    message: 'Use the `write` tool to create or overwrite a file instead of redirecting output into it.',
  },
  {
    pattern: String.raw`^cat\b.*<<`,
    tool: 'write',
    output: 'file',
    message: 'Use the `write` tool to create or overwrite a file instead of redirecting output into it.',
  },
  {
    pattern: String.raw`^(?:cat|head|tail|less|more)\s+(?!.*<<)(?!(?:-\w*f|-F|--follow|--retry)\b)(?!-c\b)(?:-\S+\s+(?:\d+\s+)?)*[^\s|<>&-]`,
    tool: 'read',
    output: 'shown',
    message: 'Use the `read` tool to look at a file: it has line numbers, ranges and limits.',
  },
  {
    pattern: String.raw`^(?:grep|rg|ripgrep|ag|ack)\s+\S`,
    tool: 'search',
    message: 'Use the `search` tool to search in files: its results are structured and respect ignore files.',
  },
  {
    pattern: String.raw`^(?:find|fd|locate)\s+.*(?:-(?:i?name|i?path|type|regex)\b|--(?:type|glob|extension)\b|-[teg]\s|[*?])`,
    tool: 'find',
    message: 'Use the `find` tool to find files by name: it is faster and respects ignore files.',
  },
  {
    pattern: String.raw`^(?:sed\s+(?:.*\s)?(?:-[a-zA-Z]*i|--in-place)|perl\s+(?:.*\s)?-[a-zA-Z]*i|awk\s+(?:.*\s)?-i\s+inplace|gawk\s+(?:.*\s)?-i\s+inplace)`,
    tool: 'edit',
    message: 'Use the `edit` tool to change a file in place: it shows what changed and reports failures.',
  },
];

/** Rules and settings for the interceptor. */
interface InterceptorInput {
  readonly rules: readonly CompiledInterceptorRule[];
  /** Available tools; rules for other tools do not apply. */
  readonly tools: readonly string[];
  readonly mode: InterceptorMode;
}

interface InterceptedPart {
  readonly part: CommandPart;
  readonly text: string;
  readonly mode: InterceptorMode;
  /** Whether the command consists of this part only. */
  readonly alone: boolean;
}

/** Finds simple commands for which the caller has a better tool. */
export function findIntercepted(
  command: string,
  parts: readonly CommandPart[],
  { rules, tools, mode }: InterceptorInput,
): readonly Finding[] {
  const known = rules.filter(({ rule }) => tools.includes(rule.tool));
  return parts.flatMap((part) => {
    if (part.piped || part.outer !== null) return [];
    const text = sourceText(command, part);
    const writes = part.writes.some(
      ({ target, descriptor }) => descriptor === 1 && !toLiteral(target)?.startsWith('/dev/'),
    );
    const hit = known.find(({ rule, pattern }) => fitsOutput(rule.output, writes) && pattern.test(text));
    return hit === undefined
      ? []
      : [toInterceptorFinding(hit, { part, text, mode, alone: parts.length === 1 })];
  });
}

function fitsOutput(output: InterceptorRule['output'], writes: boolean): boolean {
  return output === undefined || (output === 'file') === writes;
}

/** Returns the source text of a part without leading assignments. */
function sourceText(command: string, { span, assigned }: CommandPart): string {
  let text = command.slice(span.start, span.end).trimStart();
  for (let count = assigned.length; count > 0; count -= 1) text = text.replace(ASSIGNMENT, '');
  return text.trim();
}

const ASSIGNMENT = /^[A-Za-z_]\w*\+?=(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\])*\s+/s;

function toInterceptorFinding(
  { rule }: CompiledInterceptorRule,
  { part, text, mode, alone }: InterceptedPart,
): Finding {
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
    // Only a command without other parts can be replaced by a tool call.
    ...(isPlain ? { suggestion: { tool, command: text, words: part.argv.map(toLiteral), message } } : {}),
  };
}
