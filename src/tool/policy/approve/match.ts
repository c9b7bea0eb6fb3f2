import { renderPart } from '../judge/render-part.ts';
import type { Part } from '../state/machine.ts';
import { WRAPPERS } from '../unwrap/wrappers.ts';
import { literalOf } from '../words/atom.ts';
import type { CompiledApproval } from './rule.ts';

/** Whether a rule is about a part. */
export function matchesPart(rule: CompiledApproval, part: Part, command: string): boolean {
  if (rule.prefix !== null) {
    const ends = rule.rule.exact !== true || part.argv.length === rule.prefix.length;
    return ends && startsWith(part, rule.prefix);
  }
  const source = command.slice(part.span.start, part.span.end);
  return rule.pattern !== null && (rule.pattern.test(renderPart(part)) || rule.pattern.test(source));
}

function startsWith(part: Part, prefix: readonly string[]): boolean {
  return prefix.every((word, index) => {
    const actual = literalOf(part.argv[index]);
    // The program may be written with its directory, unless the rule names one itself.
    return actual === word || (index === 0 && part.name === word && !word.includes('/'));
  });
}

/** Variables that change what a program is or runs. */
const RISKY =
  /^(?:PATH|LD_.*|DYLD_.*|GIT_.*|BASH_ENV|ENV|IFS|PS4|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|PYTHON.*|NODE_OPTIONS|PERL5.*|RUBY.*|PAGER|EDITOR|VISUAL|LESSOPEN|SSH_ASKPASS|HOME)$/;

/** Whether a rule that allows a part may be taken at its word: more than the command itself may hang on it. */
export function coversPart(rule: CompiledApproval, part: Part, command: string): boolean {
  if (!matchesPart(rule, part, command)) return false;
  if (rule.pattern !== null) return true;
  const writes = part.writes.some(({ target }) => literalOf(target) !== '/dev/null');
  return !writes && !part.assigned.some((name) => RISKY.test(name));
}

/** A wrapper that only looks through to its command needs no rule of its own. */
export function isTransparent({ name }: Part): boolean {
  const wrapper = name === null ? undefined : WRAPPERS.get(name);
  return wrapper !== undefined && wrapper.elevates !== true;
}

/** Whether a rule names more than the wrapper itself: `sudo git`, not `sudo`. */
export function reachesInside(rule: CompiledApproval): boolean {
  return rule.pattern !== null || (rule.prefix?.length ?? 0) > 1;
}
