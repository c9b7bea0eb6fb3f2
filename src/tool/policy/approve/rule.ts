import { NacreError } from '../../../errors.ts';
import type { Decision } from '../judge/verdict.ts';
import { literalWord } from '../parse/literal.ts';
import { parse } from '../parse/script.ts';
import * as shape from '../rule-shape.ts';
import { problemOfShape, type RuleShape } from '../rule-shape.ts';

/** A rule of one's own: the first that matches a part decides about it. */
export interface ApprovalRule {
  readonly action: Decision;
  /** The first words of a command: `git log`, or `['git', 'log']`. */
  readonly prefix?: string | readonly string[];
  /** Whether nothing may follow the prefix. */
  readonly exact?: boolean;
  /** A regular expression, tried on the command as it stands and as it was understood. */
  readonly pattern?: string;
  readonly flags?: string;
  readonly reason?: string;
  /** Tried when the rule is loaded: a rule that fails its own examples is refused. */
  readonly examples?: { readonly match?: readonly string[]; readonly noMatch?: readonly string[] };
}

/** One of `prefix` and `pattern` is there. */
export interface CompiledApproval {
  readonly rule: ApprovalRule;
  readonly name: string;
  readonly prefix: readonly string[] | null;
  readonly pattern: RegExp | null;
}

type Fail = (problem: string) => never;

const SHAPE: RuleShape<ApprovalRule> = {
  action: shape.oneOf('allow', 'ask', 'deny'),
  prefix: shape.words,
  exact: shape.flag,
  pattern: shape.filledText,
  flags: shape.text,
  reason: shape.text,
  examples: shape.examples,
};

/** Checks rules when they are loaded: one that cannot work is an error that names it. */
export function compileApprovals(rules: readonly ApprovalRule[]): readonly CompiledApproval[] {
  return rules.map((rule, index) => {
    const name = `approval rule ${index + 1}`;
    const fail: Fail = (problem) => {
      throw new NacreError('rule_invalid', { rule: name, problem });
    };
    const problem = problemOfShape(rule, SHAPE);
    if (problem !== null) fail(problem);
    if (rule.action === undefined) fail('action must be allow, ask or deny, and is missing');
    if ((rule.prefix === undefined) === (rule.pattern === undefined))
      fail('it needs a prefix or a pattern, and not both');
    return { rule, name, prefix: compilePrefix(rule, fail), pattern: compilePattern(rule, fail) };
  });
}

function compilePrefix({ prefix, exact }: ApprovalRule, fail: Fail): readonly string[] | null {
  if (prefix === undefined) return null;
  const words = typeof prefix === 'string' ? wordsOf(prefix, fail) : prefix;
  // `git *` is how people write a prefix; an exact rule means the word itself.
  const given = words.at(-1) === '*' && exact !== true ? words.slice(0, -1) : words;
  return given.length === 0 ? fail('the prefix is empty') : given;
}

function wordsOf(text: string, fail: Fail): readonly string[] {
  const { script, errors } = parse(text);
  const [statement, ...others] = script.commands;
  const command = statement?.command;
  if (errors.length > 0 || others.length > 0 || command?.type !== 'Command' || command.name === undefined)
    return fail(`the prefix ${text} is not one simple command`);
  return [command.name, ...command.args].map((word) => {
    const literal = word.type === 'Word' ? (word.text === '*' ? '*' : literalWord(word)?.value) : word.text;
    return literal ?? fail(`the prefix ${text} has an expansion in it`);
  });
}

function compilePattern({ pattern, flags = '' }: ApprovalRule, fail: Fail): RegExp | null {
  if (pattern === undefined) return null;
  try {
    return new RegExp(pattern, flags.replace(/[gy]/g, ''));
  } catch (cause) {
    return fail(
      `the pattern ${pattern} is no regular expression: ${cause instanceof Error ? cause.message : cause}`,
    );
  }
}
