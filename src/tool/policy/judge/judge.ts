import type { Approval } from '../approve/judge.ts';
import { approve } from '../approve/judge.ts';
import { intercept } from '../intercept/intercept.ts';
import type { Examination } from './examine.ts';
import { examine } from './examine.ts';
import type { Judging } from './settings.ts';
import type { Reading } from './unreadable.ts';
import { readUnreadables } from './unreadable.ts';
import type { Decision, Finding, Question, Verdict } from './verdict.ts';
import { renderFinding, strictest } from './verdict.ts';

const ALLOWED: Verdict = { verdict: 'allow', findings: [], message: '', notes: [] };

/** May this run? */
export function judge(command: string, judging: Judging): Verdict {
  const { settings, context } = judging;
  const plain = settings.approvals.length === 0 && settings.otherwise === 'allow' && !intercepts(judging);
  const fresh = (context.prelude ?? '') === '';
  if (plain && fresh && command.length <= settings.limits.maxLength && !settings.prefilter(command))
    return ALLOWED;
  const looked = look(command, judging, plain ? 'judged' : 'all');
  return toVerdict(command, looked);
}

function intercepts({ settings, context }: Judging): boolean {
  return settings.interceptor !== null && (context.tools?.length ?? 0) > 0;
}

/** Everything that is known of a command before the verdict. */
export interface Looked {
  readonly examination: Examination;
  readonly approval: Approval;
  readonly reading: Reading;
  readonly findings: readonly Finding[];
}

export function look(command: string, judging: Judging, parts: 'all' | 'judged'): Looked {
  const { settings, context } = judging;
  const { rules, limits, homeSubpaths } = settings;
  const surroundings = { homeSubpaths, home: context.home ?? null, cwd: context.cwd ?? null };
  const prelude = context.prelude === undefined ? {} : { prelude: context.prelude };
  const examination = examine(command, { rules, surroundings, limits, parts, ...prelude });
  const intercepted = interceptFindings(command, examination, judging);
  const found = [...examination.findings, ...intercepted];
  const reading = readUnreadables(examination.unreadables, settings, found);
  const approval = approveParts(command, examination, judging);
  return { examination, approval, reading, findings: [...found, ...reading.findings, ...approval.findings] };
}

function interceptFindings(command: string, { parts }: Examination, judging: Judging): readonly Finding[] {
  const { interceptor } = judging.settings;
  if (interceptor === null || !intercepts(judging)) return [];
  return intercept(command, parts, { ...interceptor, tools: judging.context.tools ?? [] });
}

function approveParts(
  command: string,
  { parts, unreadables }: Examination,
  { settings, context }: Judging,
): Approval {
  const learned = context.learned ?? [];
  if (settings.approvals.length === 0 && settings.otherwise === 'allow')
    return { verdict: 'allow', findings: [], matched: [] };
  return approve(command, parts, {
    rules: settings.approvals,
    learned,
    otherwise: settings.otherwise,
    complete: unreadables.length === 0,
  });
}

export function toVerdict(command: string, { findings, approval, reading }: Looked): Verdict {
  const counted = findings.map(({ verdict }) => verdict).filter((verdict) => verdict !== 'warn');
  const verdict = strictest([...counted, approval.verdict]);
  const told = findings.filter(
    (finding) => finding.verdict === verdict || (verdict === 'allow' && finding.verdict === 'warn'),
  );
  const tool = told.find(({ suggestedTool }) => suggestedTool !== undefined)?.suggestedTool;
  return {
    verdict,
    findings,
    message: told.length > 0 ? messageOf(told, command) : silentMessage(approval, verdict),
    ...(tool === undefined ? {} : { suggestedTool: tool }),
    ...(verdict === 'ask' ? { question: approval.question ?? questionOf(told) } : {}),
    notes: reading.notes,
  };
}

/** A rule asks about what it found, and each time anew. */
function questionOf(findings: readonly Finding[]): Question {
  return {
    parts: findings.map(({ found }) => found),
    spans: findings.map(({ span }) => span),
    reason: findings[0]?.message ?? '',
    always: [],
  };
}

// A model that is told of forty places reads none of them.
const MAX_TOLD = 5;

function messageOf(findings: readonly Finding[], command: string): string {
  const shown = findings.slice(0, MAX_TOLD).map((finding) => messageOfFinding(finding, command));
  if (findings.length > MAX_TOLD) shown.push(`and ${findings.length - MAX_TOLD} more`);
  return shown.join('\n');
}

/** Where no rule spoke, only what was not said decides. */
function silentMessage({ question }: Approval, verdict: Decision): string {
  if (verdict === 'ask') return `This command needs an approval: ${question?.reason ?? 'no rule allows it'}`;
  return verdict === 'deny' ? 'permission denied: no approval rule allows this command' : '';
}

/** The interceptor has one form of its own: what is better, then the command. */
function messageOfFinding(finding: Finding, command: string): string {
  if (finding.suggestedTool === undefined) return renderFinding(finding);
  return finding.verdict === 'deny' ? `${finding.message}\n\nOriginal command: ${command}` : finding.message;
}

/** The interceptor alone, on each form of the command until one is caught. */
export function interceptOnly(commands: readonly string[], judging: Judging): Verdict {
  const { settings } = judging;
  if (settings.interceptor === null || !intercepts(judging)) return ALLOWED;
  for (const command of commands) {
    const examination = examine(command, {
      rules: [],
      surroundings: { homeSubpaths: settings.homeSubpaths, home: null, cwd: null },
      limits: settings.limits,
      parts: 'all',
    });
    const findings = interceptFindings(command, examination, judging);
    const approval: Approval = { verdict: 'allow', findings: [], matched: [] };
    if (findings.length > 0)
      return toVerdict(command, { examination, findings, approval, reading: { findings: [], notes: [] } });
  }
  return ALLOWED;
}
