import { NacreError } from '../../../errors.ts';
import { Interpreter } from '../evaluate/interpreter.ts';
import type { Unreadable } from '../evaluate/unreadable.ts';
import type { Surroundings } from '../rules/danger.ts';
import type { Rule, RuleKit } from '../rules/rule.ts';
import { createKit } from '../rules/rule.ts';
import type { Limits } from '../state/budget.ts';
import type { Part } from '../state/machine.ts';
import { State } from '../state/state.ts';
import { checkSize, failureFinding } from './limits.ts';
import { renderPart } from './render-part.ts';
import type { Finding } from './verdict.ts';

export interface Examining {
  readonly rules: readonly Rule[];
  readonly surroundings: Surroundings;
  readonly limits: Limits;
  /** Whether every part is wanted, or only what the rules say of those they are about. */
  readonly parts: 'all' | 'judged';
  readonly prelude?: string;
}

export interface Examination {
  readonly parts: readonly Part[];
  readonly findings: readonly Finding[];
  readonly unreadables: readonly Unreadable[];
}

/** Goes through a command and lets the rules look at every part. */
export function examine(command: string, examining: Examining): Examination {
  const { rules, limits } = examining;
  const parts: Part[] = [];
  const findings = new Map<string, Finding>();
  const add = (finding: Finding): void => {
    findings.set(`${finding.rule} ${finding.span.start} ${finding.span.end} ${finding.found}`, finding);
  };
  const kit = createKit(examining.surroundings);
  const onPart = (part: Part): void => {
    if (examining.parts === 'all') parts.push(part);
    judgePart(part, { rules, kit, add });
  };
  const state = startState(examining);
  const judged = examining.parts === 'all' ? ['*'] : rules.flatMap(({ commands }) => commands);
  const names = new Set([...judged, ...state.commandNames()]);
  const interpreter = new Interpreter({ source: command, limits, names, onPart });
  try {
    checkSize(command, limits);
    interpreter.interpret(state);
  } catch (error) {
    add(failureFinding(error, command));
  }
  return { parts, findings: [...findings.values()], unreadables: interpreter.unreadables };
}

/** What an earlier command of the session left behind, without judging it again. */
function startState({ prelude, limits }: Examining): State {
  const state = new State();
  if (prelude === undefined || prelude === '') return state;
  const options = {
    source: prelude,
    limits,
    names: new Set(['*']),
    onPart: () => undefined,
    foreign: true,
  } as const;
  try {
    new Interpreter(options).interpret(state);
    return state;
  } catch (error) {
    failureFinding(error, prelude);
    // What is too much to look at was looked at, or refused, when it came.
    return new State();
  }
}

interface JudgingPart {
  readonly rules: readonly Rule[];
  readonly kit: RuleKit;
  readonly add: (finding: Finding) => void;
}

function judgePart(part: Part, { rules, kit, add }: JudgingPart): void {
  for (const rule of rules) {
    if (!rule.commands.includes('*') && (part.name === null || !rule.commands.includes(part.name))) continue;
    const because = check(rule, part, kit);
    if (because !== null) add(toFinding(rule, part, because));
  }
}

/** A rule that fails must not let pass. */
function check(rule: Rule, part: Part, kit: RuleKit): string | null {
  try {
    return rule.check(part, kit);
  } catch (error) {
    if (error instanceof NacreError) throw error;
    return `the rule itself failed: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function toFinding(rule: Rule, part: Part, because: string): Finding {
  return {
    rule: rule.id,
    verdict: rule.verdict ?? 'deny',
    message: rule.message,
    found: renderPart(part),
    because,
    via: part.via,
    span: part.span,
    ...(rule.instead === undefined ? {} : { instead: rule.instead }),
  };
}
