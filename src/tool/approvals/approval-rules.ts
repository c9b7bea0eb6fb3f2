import { NacreError } from '../../errors.ts';
import * as check from '../../validator.ts';
import type { ApprovalRule } from '../contract/policy-options.ts';
import { compileRulePattern, examples, filledText, type RuleShape } from '../policy/rules/rule-shape.ts';
import { type CommandPart, renderCommandPart } from '../policy/values/command-evaluation.ts';
import { type Field, toLiteral } from '../policy/values/field.ts';
import { START_PATH, toFieldPath } from '../policy/values/field-path.ts';
import { mayMatchName } from '../policy/values/field-pattern.ts';
import { parseCommand, toLiteralWord } from '../syntax/parse-script.ts';
import { isHarmfulWord } from './harmful-words.ts';
import { isHarmlessName } from './side-effects.ts';

/** A validated approval rule with either a prefix or a pattern. */
export interface CompiledApprovalRule {
  readonly rule: ApprovalRule;
  readonly name: string;
  readonly prefix: readonly string[] | null;
  readonly pattern: RegExp | null;
}

type FailRule = (problem: string) => never;

const APPROVAL_RULE_SHAPE: RuleShape<ApprovalRule> = {
  action: check.oneOf('allow', 'ask', 'deny'),
  prefix: {
    expected: 'text or a list of texts',
    accepts: (value): value is string | readonly string[] =>
      check.isText(value) || check.textList.accepts(value),
  },
  exact: check.boolean,
  pattern: filledText,
  flags: check.text,
  reason: check.text,
  examples,
};

/**
 * Validates and compiles approval rules.
 *
 * @throws {NacreError} `rule_invalid`
 */
export function compileApprovalRules(rules: readonly ApprovalRule[]): readonly CompiledApprovalRule[] {
  return rules.map((rule, index) => {
    const name = `approval rule ${index + 1}`;
    const fail: FailRule = (problem) => {
      throw new NacreError('rule_invalid', { rule: name, problem });
    };
    const problem = check.findShapeProblem(rule, APPROVAL_RULE_SHAPE, ['action']);
    if (problem !== null) fail(problem);
    if ((rule.prefix === undefined) === (rule.pattern === undefined))
      fail('it needs either a prefix or a pattern');
    const { pattern } = rule;
    return {
      rule,
      name,
      prefix: compilePrefix(rule, fail),
      pattern: pattern === undefined ? null : compileRulePattern({ ...rule, pattern }, fail),
    };
  });
}

function compilePrefix({ prefix, exact }: ApprovalRule, fail: FailRule): readonly string[] | null {
  if (prefix === undefined) return null;
  const words = typeof prefix === 'string' ? parsePrefixWords(prefix, fail) : prefix;
  // `git *` means the prefix `git`; in an exact rule the star is a literal word.
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
    return literal ?? fail(`the prefix ${text} contains an expansion`);
  });
}

/** Whether a rule with `ask` or `deny` matches a part, or may match it at run time. */
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
  // An unknown program matches only when all other words of the rule are present.
  return toLiteral(first) === null && name === null && verbs.length > 0 && hasWords(argv.slice(1), verbs);
}

function isPattern(field: Field, program: string): boolean {
  if (!field.some(({ kind }) => kind === 'glob')) return false;
  return mayMatchName(toFieldPath(field, START_PATH).names.at(-1) ?? field, program);
}

function hasWords(words: readonly Field[], verbs: readonly string[]): boolean {
  return verbs.every((verb, index) => toLiteral(words[index]) === verb);
}

/** Skips global options before a verb, with or without a value; an unknown word may be the verb. */
function couldFollow(words: readonly Field[], verbs: readonly string[]): boolean {
  const [verb, ...rest] = verbs;
  if (verb === undefined) return true;
  const [word, ...after] = words;
  if (word === undefined) return false;
  const literal = toLiteral(word);
  if ((literal === null ? couldBe(word, verb) : literal === verb) && couldFollow(after, rest)) return true;
  // An option named by the rule may be at any position.
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

/** Whether a rule allows a part including its redirections, assignments and arguments. */
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

/** A rule for `git` means the program found in `PATH`; a program given by path needs a rule with that path. */
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

/** Wrappers that only run their command and need no rule. */
const TRANSPARENT_WRAPPERS =
  /^(?:env|command|builtin|nohup|setsid|time|timeout|gtimeout|nice|ionice|chrt|taskset|stdbuf|strace|chronic|caffeinate)$/;

/** Whether a wrapper adds no variable, file or unknown word to the command it runs. */
export function isTransparentWrapper({ argv }: CommandPart, inner: CommandPart): boolean {
  const program = toLiteral(argv[0]);
  if (program === null || !TRANSPARENT_WRAPPERS.test(program)) return false;
  return argv.slice(1, Math.max(1, argv.length - inner.argv.length)).every((word) => {
    const literal = toLiteral(word);
    if (literal === null || isHarmfulWord(program, word)) return false;
    const [, name] = /^([A-Za-z_]\w*)=/.exec(literal) ?? [];
    return name === undefined || isHarmlessName(name);
  });
}

/** Whether a rule names more than a wrapper: `sudo git`, not `sudo`. */
export function namesWrappedCommand(rule: CompiledApprovalRule): boolean {
  return rule.pattern !== null || (rule.prefix?.length ?? 0) > 1;
}
