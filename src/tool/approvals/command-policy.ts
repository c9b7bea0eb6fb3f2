import type { BashSyntax, BashSyntaxError } from '../../engine/shell/find-shell.ts';
import type { InterceptorMode, PolicyLimits } from '../contract/policy-options.ts';
import {
  type ApprovalQuestion,
  type Decision,
  type Finding,
  type PolicyVerdict,
  renderFinding,
  strictestDecision,
} from '../contract/policy-verdict.ts';
import type { UnreadableText } from '../policy/evaluate/command-source.ts';
import { type CommandExamination, examineCommand } from '../policy/examine-command.ts';
import type { CompiledRule } from '../policy/rules/policy-rule.ts';
import { type ApprovalDecision, decideApproval } from './approval-decision.ts';
import type { CompiledApprovalRule } from './approval-rules.ts';
import { type CompiledInterceptorRule, findIntercepted } from './interceptor.ts';

/** Policy settings with all defaults applied and rules compiled. */
export interface ResolvedPolicy {
  readonly rules: readonly CompiledRule[];
  /** Whether a rule can match a text at all. */
  readonly prefilter: (command: string) => boolean;
  readonly homeSubpaths: 'block' | 'allow';
  readonly unreadable: 'refuse' | 'allow';
  readonly limits: PolicyLimits;
  /** Checks the syntax of a text with bash; `null` when bash is not available. */
  readonly checkSyntax: ((text: string) => BashSyntax) | null;
  readonly interceptor: {
    readonly rules: readonly CompiledInterceptorRule[];
    readonly mode: InterceptorMode;
  } | null;
  readonly approvals: readonly CompiledApprovalRule[];
  /** Decision for a part that no approval rule matches. */
  readonly otherwise: Decision;
}

/** The environment in which a command would run. */
export interface PolicyContext {
  /** Absolute path. */
  readonly home?: string;
  /** Absolute path. */
  readonly cwd?: string;
  /** Names of the other tools of the caller. */
  readonly tools?: readonly string[];
  /** Earlier commands of the same shell, whose functions and variables still apply. */
  readonly prelude?: string;
  /** Compiled rules from lasting answers. */
  readonly learned?: readonly CompiledApprovalRule[];
}

/** A policy and the context of one command. */
export interface PolicyInput {
  readonly settings: ResolvedPolicy;
  readonly context: PolicyContext;
}

/** The result of checking texts that could not be parsed. */
interface UnreadableOutcome {
  readonly findings: readonly Finding[];
  readonly notes: readonly string[];
}

interface UnreadableInput {
  readonly command: string;
  readonly settings: Pick<ResolvedPolicy, 'unreadable' | 'checkSyntax'>;
  readonly examine: (text: string) => CommandExamination;
}

/**
 * Refuses texts that bash may run and the policy cannot parse. A syntax error is left to bash if the policy can
 * parse and allow the lines before it, because bash runs these lines.
 */
function resolveUnreadables(
  unreadables: readonly UnreadableText[],
  { command, settings, examine }: UnreadableInput,
): UnreadableOutcome {
  const [first] = unreadables;
  if (first === undefined) return { findings: [], notes: [] };
  const asked = chooseCheckedText(unreadables, command);
  const syntax = asked === null ? 'unknown' : (settings.checkSyntax?.(asked) ?? 'valid');
  const error = typeof syntax === 'string' ? null : syntax;
  if (asked !== null && error !== null) {
    const before = examine(linesBefore(asked, error.line));
    if (before.unreadables.length === 0)
      return {
        findings: before.findings,
        notes: [`bash will report a syntax error near character ${first.span.start}`],
      };
  }
  if (settings.unreadable === 'allow')
    return { findings: [], notes: [`not checked from character ${first.span.start} on: ${first.problem}`] };
  return { findings: [toUnreadableFinding(first, error)], notes: [] };
}

/** Bash checks one text per command, because each check starts a process: `null` for several nested texts. */
function chooseCheckedText(unreadables: readonly UnreadableText[], command: string): string | null {
  const texts = new Set(unreadables.map(({ text }) => text));
  const [only = command] = texts;
  if (texts.has(command)) return command;
  return texts.size === 1 ? only : null;
}

/** Bash parses a whole line before it runs any of it. An error at the end of the text belongs to the last line. */
function linesBefore(text: string, errorLine: number): string {
  const lines = text.trimEnd().split('\n');
  return lines.slice(0, Math.min(errorLine, lines.length) - 1).join('\n');
}

function toUnreadableFinding(
  { text, span, problem: parserProblem }: UnreadableText,
  error: BashSyntaxError | null,
): Finding {
  const problem = error?.message ?? parserProblem;
  return {
    rule: 'unreadable',
    verdict: 'deny',
    message: `permission denied: this command cannot be checked, it is unreadable at character ${span.start} (${problem}). Write it in a simpler form`,
    found: text.slice(Math.max(0, span.start - 20), span.start + 20).trim() || text.slice(0, 40),
    because: problem,
    via: [],
    span,
    instead:
      error === null
        ? 'the same command in simpler syntax, or in a script file'
        : 'the same command without the syntax error',
  };
}

const ALLOWED_VERDICT: PolicyVerdict = { verdict: 'allow', findings: [], message: '', notes: [] };

/** Decides whether a command may run. */
export function judgeCommand(command: string, input: PolicyInput): PolicyVerdict {
  const { settings, context } = input;
  const plain =
    settings.approvals.length === 0 && settings.otherwise === 'allow' && !isInterceptorActive(input);
  const fresh = (context.prelude ?? '') === '';
  if (plain && fresh && command.length <= settings.limits.maxLength && !settings.prefilter(command))
    return ALLOWED_VERDICT;
  const assessment = assessCommand(command, input, plain ? 'judged' : 'all');
  return toPolicyVerdict(command, assessment);
}

function isInterceptorActive({ settings, context }: PolicyInput): boolean {
  return settings.interceptor !== null && (context.tools?.length ?? 0) > 0;
}

/** The results of all checks of a command, before the verdict. */
export interface CommandAssessment {
  readonly examination: CommandExamination;
  readonly approval: ApprovalDecision;
  readonly reading: UnreadableOutcome;
  readonly findings: readonly Finding[];
}

/** Applies rules, interceptor and approval rules to a command. */
export function assessCommand(
  command: string,
  input: PolicyInput,
  parts: 'all' | 'judged',
): CommandAssessment {
  const { settings, context } = input;
  const { rules, limits, homeSubpaths } = settings;
  const directories = { homeSubpaths, home: context.home ?? null, cwd: context.cwd ?? null };
  const prelude = context.prelude === undefined ? {} : { prelude: context.prelude };
  const examine = (text: string): CommandExamination =>
    examineCommand(text, { rules, directories, limits, parts, ...prelude });
  const examination = examine(command);
  const intercepted = interceptFindings(command, examination, input);
  const found = [...examination.findings, ...intercepted];
  const denied = found.some(({ verdict }) => verdict === 'deny');
  const unreadables = denied ? [] : examination.unreadables;
  const reading = resolveUnreadables(unreadables, { command, settings, examine });
  const approval = approveParts(command, examination, input);
  return { examination, approval, reading, findings: [...found, ...reading.findings, ...approval.findings] };
}

function interceptFindings(
  command: string,
  { parts }: CommandExamination,
  input: PolicyInput,
): readonly Finding[] {
  const { interceptor } = input.settings;
  if (interceptor === null || !isInterceptorActive(input)) return [];
  return findIntercepted(command, parts, { ...interceptor, tools: input.context.tools ?? [] });
}

const NO_APPROVAL_NEEDED: ApprovalDecision = { verdict: 'allow', findings: [], matched: [] };

function approveParts(
  command: string,
  { parts, unreadables }: CommandExamination,
  { settings, context }: PolicyInput,
): ApprovalDecision {
  const learned = context.learned ?? [];
  if (settings.approvals.length === 0 && settings.otherwise === 'allow') return NO_APPROVAL_NEEDED;
  return decideApproval(command, parts, {
    rules: settings.approvals,
    learned,
    otherwise: settings.otherwise,
    complete: unreadables.length === 0,
  });
}

/** Combines the results of all checks into a verdict with its message. */
export function toPolicyVerdict(
  command: string,
  { findings, approval, reading }: CommandAssessment,
): PolicyVerdict {
  const counted = findings.map(({ verdict }) => verdict).filter((verdict) => verdict !== 'warn');
  const verdict = strictestDecision([...counted, approval.verdict]);
  const reported = findings.filter(
    (finding) => finding.verdict === verdict || (verdict === 'allow' && finding.verdict === 'warn'),
  );
  const tool = reported.find(({ suggestedTool }) => suggestedTool !== undefined)?.suggestedTool;
  return {
    verdict,
    findings,
    message:
      reported.length > 0 ? renderFindings(reported, command) : renderUncoveredMessage(approval, verdict),
    ...(tool === undefined ? {} : { suggestedTool: tool }),
    ...(verdict === 'ask' ? { question: approval.question ?? toRuleQuestion(reported) } : {}),
    notes: reading.notes,
  };
}

/** The question of a policy rule offers no lasting answer. */
function toRuleQuestion(findings: readonly Finding[]): ApprovalQuestion {
  return {
    parts: findings.map(({ found }) => found),
    spans: findings.map(({ span }) => span),
    reason: findings[0]?.message ?? '',
    always: [],
  };
}

// Limits the length of the message for the model.
const MAX_REPORTED_FINDINGS = 5;

function renderFindings(findings: readonly Finding[], command: string): string {
  const shown = findings
    .slice(0, MAX_REPORTED_FINDINGS)
    .map((finding) => renderFindingMessage(finding, command));
  if (findings.length > MAX_REPORTED_FINDINGS)
    shown.push(`and ${findings.length - MAX_REPORTED_FINDINGS} more`);
  return shown.join('\n');
}

/** Returns the message when no rule matched. */
function renderUncoveredMessage({ question }: ApprovalDecision, verdict: Decision): string {
  if (verdict === 'ask') return `This command requires approval: ${question?.reason ?? 'no rule allows it'}`;
  return verdict === 'deny' ? 'permission denied: no approval rule allows this command' : '';
}

/** Interceptor messages state the better tool, then the command. */
function renderFindingMessage(finding: Finding, command: string): string {
  if (finding.suggestedTool === undefined) return renderFinding(finding);
  return finding.verdict === 'deny' ? `${finding.message}\n\nOriginal command: ${command}` : finding.message;
}

/** Applies only the interceptor to each form of a command until one matches. */
export function interceptCommand(commands: readonly string[], input: PolicyInput): PolicyVerdict {
  const { settings } = input;
  if (settings.interceptor === null || !isInterceptorActive(input)) return ALLOWED_VERDICT;
  for (const command of commands) {
    const examination = examineCommand(command, {
      rules: [],
      directories: { homeSubpaths: settings.homeSubpaths, home: null, cwd: null },
      limits: settings.limits,
      parts: 'all',
    });
    const findings = interceptFindings(command, examination, input);
    if (findings.length > 0)
      return toPolicyVerdict(command, {
        examination,
        findings,
        approval: NO_APPROVAL_NEEDED,
        reading: { findings: [], notes: [] },
      });
  }
  return ALLOWED_VERDICT;
}
