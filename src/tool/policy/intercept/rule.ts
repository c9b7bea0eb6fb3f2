import { NacreError } from '../../../errors.ts';
import * as shape from '../rule-shape.ts';
import { problemOfShape, type RuleShape } from '../rule-shape.ts';

/** A simple command that another tool does better. */
export interface InterceptorRule {
  /** A regular expression, tried on the simple command as it stands, without leading assignments. */
  readonly pattern: string;
  readonly flags?: string;
  /** The tool's name; the rule holds only where there is one of that name. */
  readonly tool: string;
  readonly message: string;
  /** Only where the command writes into a file, or only where it does not. */
  readonly output?: 'file' | 'shown';
}

/** What happens to a command that is caught: it is refused, run with a note, or handed to the tool that does it better. */
export type InterceptorMode = 'block' | 'warn' | 'rewrite';

/** A call that another tool could take over. */
export interface Suggestion {
  readonly tool: string;
  /** The simple command as it stands, without leading assignments. */
  readonly command: string;
  /** Its words; `null` for one that is known only when it runs. */
  readonly words: readonly (string | null)[];
  /** Where it would run, as the call or its leading `cd` said; `null`: in the session's directory. */
  readonly cwd: string | null;
  readonly message: string;
}

/** Carries a call out with another tool and gives what that says; `undefined` where it cannot. */
export type TakeOver = (suggestion: Suggestion) => string | undefined | Promise<string | undefined>;

export interface CompiledInterceptor {
  readonly rule: InterceptorRule;
  readonly pattern: RegExp;
}

const SHAPE: RuleShape<InterceptorRule> = {
  pattern: shape.filledText,
  flags: shape.text,
  tool: shape.filledText,
  message: shape.filledText,
  output: shape.oneOf('file', 'shown'),
};

/** Checks rules when they are loaded: one that cannot work is an error that names it. */
export function compileInterceptor(rules: readonly InterceptorRule[]): readonly CompiledInterceptor[] {
  return rules.map((rule, index) => {
    const name = `interceptor rule ${index + 1}`;
    const problem = problemOfShape(rule, SHAPE);
    if (problem !== null) throw new NacreError('rule_invalid', { rule: name, problem });
    for (const key of ['pattern', 'tool', 'message'] as const)
      if (typeof rule[key] !== 'string' || rule[key] === '')
        throw new NacreError('rule_invalid', { rule: name, problem: `${key} must be a text` });
    return { rule, pattern: compilePattern(rule, name) };
  });
}

function compilePattern({ pattern, flags = '' }: InterceptorRule, name: string): RegExp {
  try {
    // A global or sticky pattern would remember where it stopped.
    return new RegExp(pattern, flags.replace(/[gy]/g, ''));
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new NacreError('rule_invalid', { rule: `${name} (${pattern})`, problem }, { cause });
  }
}

/** What agents most often do by hand although they have a tool for it. */
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
    message: 'Use the `edit` tool to change a file in place: it shows what changed and fails loudly.',
  },
];
