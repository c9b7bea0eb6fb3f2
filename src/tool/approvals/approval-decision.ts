import { shellQuote } from '../../engine/text/shell-quote.ts';
import {
  type Always,
  type ApprovalQuestion,
  type Decision,
  type Finding,
  strictestDecision,
} from '../contract/policy-verdict.ts';
import { COMMAND_HANDLERS } from '../policy/programs/handler-table.ts';
import { type CommandPart, renderCommandPart } from '../policy/values/command-evaluation.ts';
import { toLiteral } from '../policy/values/field.ts';
import {
  type CompiledApprovalRule,
  isAllowedByRule,
  isTransparentWrapper,
  matchesRule,
  namesWrappedCommand,
} from './approval-rules.ts';
import { hasSideEffects } from './side-effects.ts';

/** Programs with a handler that run only what their words name. */
const SELF_CONTAINED_PROGRAMS: ReadonlySet<string> = new Set(
  'git npm pnpm yarn bun cargo go docker podman kubectl gh pip pip3 uv poetry deno dotnet mvn gradle apt apt-get brew systemctl terraform make just rm rmdir mv cp dd chmod chown kill killall pkill curl wget ssh scp rsync tee cd pushd popd export declare local set unset read printf'.split(
    ' ',
  ),
);

const INTERPRETERS = /^(?:node|python3?|ruby|perl|deno|bun|php)$/;

/** Programs that only print, count or search their standard input. */
const FILTERS: ReadonlySet<string> = new Set(
  'cat head tail grep rg wc sort uniq cut tr column nl fold fmt rev tac jq less more md5sum sha256sum'.split(
    ' ',
  ),
);

/**
 * Returns the exact rule that a lasting answer stores for a part. Returns `null` when the words do not describe
 * everything that runs: an unknown word, a redirection, an assignment, a shell or another runner, or input that
 * a program may run.
 */
function suggestAlwaysRule({ argv, name, writes, assigned, piped, stdin }: CommandPart): Always | null {
  const words = argv.map(toLiteral);
  if (name === null || !words.every(isVisible) || writes.length > 0 || assigned.length > 0) return null;
  if ((piped || stdin !== undefined) && !FILTERS.has(name)) return null;
  if (INTERPRETERS.test(name)) {
    const [, script] = words;
    if (script === undefined || script.startsWith('-')) return null;
  } else if (COMMAND_HANDLERS.has(name) && !SELF_CONTAINED_PROGRAMS.has(name)) return null;
  return toAlways(words);
}

/** Creates an exact rule with the text shown before it is stored. */
export function toAlways(words: readonly string[]): Always {
  return { prefix: words, exact: true, text: words.map(shellQuote).join(' ') };
}

/** A word with invisible characters cannot be confirmed by a person. */
function isVisible(word: string | null): word is string {
  return word !== null && !/[\p{Cc}\p{Bidi_Control}]/u.test(word);
}

/** Rules and settings for an approval decision. */
interface ApprovalInput {
  readonly rules: readonly CompiledApprovalRule[];
  /** Rules from lasting answers; they apply in the directory where a command starts. */
  readonly learned: readonly CompiledApprovalRule[];
  /** Decision for a part that no rule matches. */
  readonly otherwise: Decision;
  /** Whether every part of the command could be parsed. */
  readonly complete: boolean;
}

/** The decision about a command, with the matching rules and the question for a person. */
export interface ApprovalDecision {
  readonly verdict: Decision;
  readonly findings: readonly Finding[];
  readonly matched: readonly { readonly rule: string; readonly part: CommandPart }[];
  readonly question?: ApprovalQuestion;
}

interface CoverageInput {
  readonly parts: readonly CommandPart[];
  readonly input: ApprovalInput;
}

/**
 * Decides about a command: `deny` and `ask` rules apply to any part, `allow` requires that every part is
 * covered.
 */
export function decideApproval(
  command: string,
  parts: readonly CommandPart[],
  input: ApprovalInput,
): ApprovalDecision {
  const decided = parts.map((part) => ({ part, ...decidePart(part, command, input) }));
  const findings = decided.flatMap(({ part, rule, decision }) =>
    rule !== undefined && (decision === 'deny' || decision === 'ask')
      ? [toApprovalFinding(rule, part, decision)]
      : [],
  );
  const covering = { parts, input };
  const open = decided.filter(({ part, decision }) => decision === null && !isPartCovered(part, covering));
  const unknown = open.length > 0 || parts.length === 0 || !input.complete;
  const effects = hasSideEffects(command);
  const found = findings.map(({ verdict }) => verdict as Decision);
  // The question of a rule shows the whole command with its redirections and assignments.
  const isOpen = unknown || (effects && !found.includes('ask'));
  const verdict = strictestDecision(isOpen ? [...found, input.otherwise] : found);
  const matched = decided.flatMap(({ part, rule }) =>
    rule === undefined ? [] : [{ rule: rule.name, part }],
  );
  if (verdict !== 'ask') return { verdict, findings, matched };
  const byRule = decided.filter(({ decision }) => decision === 'ask');
  const asked = decided.filter((item) => byRule.includes(item) || open.includes(item));
  // A lasting answer to the question of a rule stores nothing about other parts.
  const lasting = byRule.length > 0 ? byRule : open;
  const always = input.complete ? toAlwaysRules(lasting.map(({ part }) => part)) : [];
  const question = toApprovalQuestion(
    asked.map(({ part }) => part),
    findings,
  );
  const reason =
    findings.length === 0 && open.length === 0 && effects ? SIDE_EFFECTS_REASON : question.reason;
  return { verdict, findings, matched, question: { ...question, reason, always } };
}

const SIDE_EFFECTS_REASON =
  'no rule covers its side effects: it writes a file, sets a variable or evaluates an expression';

interface PartDecision {
  readonly decision: Decision | null;
  readonly rule?: CompiledApprovalRule;
}

function decidePart(part: CommandPart, command: string, { rules, learned }: ApprovalInput): PartDecision {
  const first = rules.find((rule) =>
    rule.rule.action === 'allow' ? isAllowedByRule(rule, part) : matchesRule(rule, part, command),
  );
  if (first?.rule.action === 'deny') return { decision: 'deny', rule: first };
  const known = part.cwd.every(isStart) ? learned.find((rule) => isAllowedByRule(rule, part)) : undefined;
  const rule = known ?? first;
  return rule === undefined ? { decision: null } : { decision: rule.rule.action, rule };
}

/** A wrapper is covered by the command inside it; that command is covered by a rule that names both. */
function isPartCovered(part: CommandPart, { parts, input }: CoverageInput): boolean {
  const inner = parts.filter(({ outer }) => outer === part);
  if (inner.length > 0 && inner.every((each) => isTransparentWrapper(part, each))) return true;
  const { outer } = part;
  if (outer === null) return false;
  return [...input.learned, ...input.rules].some(
    (rule) => rule.rule.action === 'allow' && namesWrappedCommand(rule) && isAllowedByRule(rule, outer),
  );
}

function toApprovalFinding(
  { rule, name }: CompiledApprovalRule,
  part: CommandPart,
  decision: 'deny' | 'ask',
): Finding {
  const what = rule.prefix === undefined ? `/${rule.pattern}/` : [rule.prefix].flat().join(' ');
  const action = decision === 'deny' ? 'is not allowed here' : 'requires approval';
  return {
    rule: name,
    verdict: decision,
    message: `permission denied: ${what} ${action}${rule.reason === undefined ? '' : `: ${rule.reason}`}`,
    found: renderCommandPart(part),
    because: `${name}: ${decision} ${what}`,
    via: part.via,
    span: part.span,
  };
}

function isStart({ base, up, names }: CommandPart['cwd'][number]): boolean {
  return base === 'start' && up === 0 && names.length === 0;
}

function toApprovalQuestion(
  parts: readonly CommandPart[],
  findings: readonly Finding[],
): Omit<ApprovalQuestion, 'always'> {
  return {
    parts: parts.map(renderCommandPart),
    spans: parts.map(({ span }) => span),
    reason: findings[0]?.message ?? 'no rule allows this command',
  };
}

/** Returns no rules when one part has none: the others alone would not allow the command again. */
function toAlwaysRules(parts: readonly CommandPart[]): readonly Always[] {
  const rules = parts.map(suggestAlwaysRule).filter((rule) => rule !== null);
  if (rules.length < parts.length) return [];
  return [...new Map(rules.map((rule) => [JSON.stringify(rule.prefix), rule])).values()];
}
