import { NacreError } from '../../errors.ts';
import type { ApprovalRule } from '../contract/policy-options.ts';
import * as shape from '../policy/rules/rule-shape.ts';
import { findShapeProblem, type RuleShape } from '../policy/rules/rule-shape.ts';
import { type CommandPart, renderCommandPart } from '../policy/values/command-evaluation.ts';
import { type Field, toLiteral } from '../policy/values/field.ts';
import { START_PATH, toFieldPath } from '../policy/values/field-path.ts';
import { mayMatchName } from '../policy/values/field-pattern.ts';
import { parseCommand, toLiteralWord } from '../syntax/parse-script.ts';
import { isHarmfulWord } from './harmful-words.ts';
import { isHarmlessName } from './side-effects.ts';

/** One of `prefix` and `pattern` is there. */
export interface CompiledApprovalRule {
  readonly rule: ApprovalRule;
  readonly name: string;
  readonly prefix: readonly string[] | null;
  readonly pattern: RegExp | null;
}

type FailRule = (problem: string) => never;

const APPROVAL_RULE_SHAPE: RuleShape<ApprovalRule> = {
  action: shape.oneOfCheck('allow', 'ask', 'deny'),
  prefix: shape.wordsCheck,
  exact: shape.flagCheck,
  pattern: shape.filledTextCheck,
  flags: shape.textCheck,
  reason: shape.textCheck,
  examples: shape.examplesCheck,
};

/** Checks rules when they are loaded: one that cannot work is an error that names it. */
export function compileApprovalRules(rules: readonly ApprovalRule[]): readonly CompiledApprovalRule[] {
  return rules.map((rule, index) => {
    const name = `approval rule ${index + 1}`;
    const fail: FailRule = (problem) => {
      throw new NacreError('rule_invalid', { rule: name, problem });
    };
    const problem = findShapeProblem(rule, APPROVAL_RULE_SHAPE);
    if (problem !== null) fail(problem);
    if (rule.action === undefined) fail('action must be allow, ask or deny, and is missing');
    if ((rule.prefix === undefined) === (rule.pattern === undefined))
      fail('it needs a prefix or a pattern, and not both');
    return { rule, name, prefix: compilePrefix(rule, fail), pattern: compilePattern(rule, fail) };
  });
}

function compilePrefix({ prefix, exact }: ApprovalRule, fail: FailRule): readonly string[] | null {
  if (prefix === undefined) return null;
  const words = typeof prefix === 'string' ? parsePrefixWords(prefix, fail) : prefix;
  // `git *` is how people write a prefix; an exact rule means the word itself.
  const given = words.at(-1) === '*' && exact !== true ? words.slice(0, -1) : words;
  return given.length === 0 ? fail('the prefix is empty') : given;
}

function parsePrefixWords(text: string, fail: FailRule): readonly string[] {
  const { script, errors } = parseCommand(text);
  const [statement, ...others] = script.commands;
  const command = statement?.command;
  if (errors.length > 0 || others.length > 0 || command?.type !== 'Command' || command.name === undefined)
    return fail(`the prefix ${text} is not one simple command`);
  return [command.name, ...command.args].map((word) => {
    const literal = word.type === 'Word' ? (word.text === '*' ? '*' : toLiteralWord(word)?.value) : word.text;
    return literal ?? fail(`the prefix ${text} has an expansion in it`);
  });
}

function compilePattern({ pattern, flags = '' }: ApprovalRule, fail: FailRule): RegExp | null {
  if (pattern === undefined) return null;
  try {
    return new RegExp(pattern, flags.replace(/[gy]/g, ''));
  } catch (cause) {
    return fail(
      `the pattern ${pattern} is no regular expression: ${cause instanceof Error ? cause.message : cause}`,
    );
  }
}

/** Whether a rule that asks or denies is about a part, or may turn out to be. */
export function matchesRule(rule: CompiledApprovalRule, part: CommandPart, command: string): boolean {
  if (rule.prefix !== null) {
    if (rule.rule.exact === true && part.argv.length !== rule.prefix.length) return false;
    return couldRun(part, rule.prefix);
  }
  const source = command.slice(part.span.start, part.span.end);
  return rule.pattern !== null && (rule.pattern.test(renderCommandPart(part)) || rule.pattern.test(source));
}

function couldRun({ name, argv }: CommandPart, [program = '', ...verbs]: readonly string[]): boolean {
  const [first = []] = argv;
  const isNamed = toLiteral(first) === program || name === program || isPattern(first, program);
  if (isNamed) return couldFollow(argv.slice(1), verbs);
  // A program that is not known is taken for the rule's only where the other words are the rule's.
  return toLiteral(first) === null && name === null && verbs.length > 0 && hasWords(argv.slice(1), verbs);
}

function isPattern(field: Field, program: string): boolean {
  if (!field.some(({ kind }) => kind === 'glob')) return false;
  return mayMatchName(toFieldPath(field, START_PATH).names.at(-1) ?? field, program);
}

function hasWords(words: readonly Field[], verbs: readonly string[]): boolean {
  return verbs.every((verb, index) => toLiteral(words[index]) === verb);
}

/** Global options before a verb, with or without a value, are passed over; a word that is not known may be the verb. */
function couldFollow(words: readonly Field[], verbs: readonly string[]): boolean {
  const [verb, ...rest] = verbs;
  if (verb === undefined) return true;
  const [word, ...after] = words;
  if (word === undefined) return false;
  const literal = toLiteral(word);
  if ((literal === null ? couldBe(word, verb) : literal === verb) && couldFollow(after, rest)) return true;
  // An option that a rule names may stand anywhere.
  if (verb.startsWith('-')) return couldFollow(after, verbs);
  if (literal === null) return couldBe(word, '-') && couldFollow(after, verbs);
  if (!literal.startsWith('-')) return false;
  return couldFollow(after, verbs) || (!literal.includes('=') && couldFollow(after.slice(1), verbs));
}

function couldBe(word: Field, verb: string): boolean {
  const [first] = word;
  if (first?.kind !== 'text') return true;
  return verb.startsWith(first.text);
}

/** Whether a rule allows a part with everything that hangs on it. */
export function isAllowedByRule(rule: CompiledApprovalRule, part: CommandPart): boolean {
  const { argv, writes, assigned } = part;
  const program = toLiteral(argv[0]);
  if (program === null || !allows(rule, part, program)) return false;
  if (writes.some(({ target }) => toLiteral(target) !== '/dev/null')) return false;
  if (!assigned.every(isHarmlessName)) return false;
  if (rule.rule.exact === true) return true;
  const name = program.slice(program.lastIndexOf('/') + 1);
  return !argv.slice(rule.prefix?.length ?? 1).some((word) => isHarmfulWord(name, word));
}

/** A rule for `git` means the one that `PATH` finds: a program by its path needs a rule that names the path. */
function allows(
  { rule, prefix, pattern }: CompiledApprovalRule,
  part: CommandPart,
  program: string,
): boolean {
  if (prefix === null)
    return (
      pattern?.test(renderCommandPart(part)) === true &&
      (!program.includes('/') || pattern.source.includes('/'))
    );
  if (rule.exact === true && part.argv.length !== prefix.length) return false;
  return prefix.every((word, index) => toLiteral(part.argv[index]) === word);
}

/** Wrappers that only run their command: they need no rule of their own. */
const TRANSPARENT =
  /^(?:env|command|builtin|nohup|setsid|time|timeout|gtimeout|nice|ionice|chrt|taskset|stdbuf|strace|chronic|caffeinate)$/;

/** Whether a wrapper adds nothing to the part that it runs: no variable, no file, no word that is not known. */
export function isTransparentWrapper({ argv }: CommandPart, inner: CommandPart): boolean {
  const program = toLiteral(argv[0]);
  if (program === null || !TRANSPARENT.test(program)) return false;
  return argv.slice(1, Math.max(1, argv.length - inner.argv.length)).every((word) => {
    const literal = toLiteral(word);
    if (literal === null || isHarmfulWord(program, word)) return false;
    const [, name] = /^([A-Za-z_]\w*)=/.exec(literal) ?? [];
    return name === undefined || isHarmlessName(name);
  });
}

/** Whether a rule names more than the wrapper itself: `sudo git`, not `sudo`. */
export function namesWrappedCommand(rule: CompiledApprovalRule): boolean {
  return rule.pattern !== null || (rule.prefix?.length ?? 0) > 1;
}
