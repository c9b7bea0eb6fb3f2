import { renderPart } from '../judge/render-part.ts';
import type { Part } from '../state/machine.ts';
import type { Field } from '../words/atom.ts';
import { literalOf } from '../words/atom.ts';
import { START, toPath } from '../words/path.ts';
import { couldBeNamed } from '../words/pattern.ts';
import { isHarmfulWord } from './harmful-words.ts';
import type { CompiledApproval } from './rule.ts';
import { isHarmlessName } from './side-effects.ts';

/** Whether a rule that asks or denies is about a part, or may turn out to be. */
export function matchesPart(rule: CompiledApproval, part: Part, command: string): boolean {
  if (rule.prefix !== null) {
    if (rule.rule.exact === true && part.argv.length !== rule.prefix.length) return false;
    return couldRun(part, rule.prefix);
  }
  const source = command.slice(part.span.start, part.span.end);
  return rule.pattern !== null && (rule.pattern.test(renderPart(part)) || rule.pattern.test(source));
}

function couldRun({ name, argv }: Part, [program = '', ...verbs]: readonly string[]): boolean {
  const [first = []] = argv;
  const isNamed = literalOf(first) === program || name === program || isPattern(first, program);
  if (isNamed) return couldFollow(argv.slice(1), verbs);
  // A program that is not known is taken for the rule's only where the other words are the rule's.
  return literalOf(first) === null && name === null && verbs.length > 0 && hasWords(argv.slice(1), verbs);
}

function isPattern(field: Field, program: string): boolean {
  if (!field.some(({ kind }) => kind === 'glob')) return false;
  return couldBeNamed(toPath(field, START).names.at(-1) ?? field, program);
}

function hasWords(words: readonly Field[], verbs: readonly string[]): boolean {
  return verbs.every((verb, index) => literalOf(words[index]) === verb);
}

/** Global options before a verb, with or without a value, are passed over; a word that is not known may be the verb. */
function couldFollow(words: readonly Field[], verbs: readonly string[]): boolean {
  const [verb, ...rest] = verbs;
  if (verb === undefined) return true;
  const [word, ...after] = words;
  if (word === undefined) return false;
  const literal = literalOf(word);
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
export function coversPart(rule: CompiledApproval, part: Part): boolean {
  const { argv, writes, assigned } = part;
  const program = literalOf(argv[0]);
  if (program === null || !allows(rule, part, program)) return false;
  if (writes.some(({ target }) => literalOf(target) !== '/dev/null')) return false;
  if (!assigned.every(isHarmlessName)) return false;
  if (rule.rule.exact === true) return true;
  const name = program.slice(program.lastIndexOf('/') + 1);
  return !argv.slice(rule.prefix?.length ?? 1).some((word) => isHarmfulWord(name, word));
}

/** A rule for `git` means the one that `PATH` finds: a program by its path needs a rule that names the path. */
function allows({ rule, prefix, pattern }: CompiledApproval, part: Part, program: string): boolean {
  if (prefix === null)
    return (
      pattern?.test(renderPart(part)) === true && (!program.includes('/') || pattern.source.includes('/'))
    );
  if (rule.exact === true && part.argv.length !== prefix.length) return false;
  return prefix.every((word, index) => literalOf(part.argv[index]) === word);
}

/** Wrappers that only run their command: they need no rule of their own. */
const TRANSPARENT =
  /^(?:env|command|builtin|nohup|setsid|time|timeout|gtimeout|nice|ionice|chrt|taskset|stdbuf|strace|chronic|caffeinate)$/;

/** Whether a wrapper adds nothing to the part that it runs: no variable, no file, no word that is not known. */
export function isTransparent({ argv }: Part, inner: Part): boolean {
  const program = literalOf(argv[0]);
  if (program === null || !TRANSPARENT.test(program)) return false;
  return argv.slice(1, Math.max(1, argv.length - inner.argv.length)).every((word) => {
    const literal = literalOf(word);
    if (literal === null || isHarmfulWord(program, word)) return false;
    const [, name] = /^([A-Za-z_]\w*)=/.exec(literal) ?? [];
    return name === undefined || isHarmlessName(name);
  });
}

/** Whether a rule names more than the wrapper itself: `sudo git`, not `sudo`. */
export function reachesInside(rule: CompiledApproval): boolean {
  return rule.pattern !== null || (rule.prefix?.length ?? 0) > 1;
}
