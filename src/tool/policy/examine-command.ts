import { NacreError } from '../../errors.ts';
import type { PolicyLimits } from '../contract/policy-options.ts';
import type { Finding } from '../contract/policy-verdict.ts';
import type { UnreadableText } from './evaluate/command-source.ts';
import { Interpreter } from './evaluate/interpreter.ts';
import type { HostDirectories } from './rules/deletion-danger.ts';
import type { CompiledRule } from './rules/policy-rule.ts';
import { type CommandPart, renderCommandPart } from './values/command-evaluation.ts';
import { ScriptState } from './values/script-state.ts';

/** Throws `policy_limit` for texts that the parser would take too long for. */
function checkCommandSize(command: string, { maxLength }: PolicyLimits): void {
  if (command.length > maxLength)
    throw new NacreError('policy_limit', { limit: `more than ${maxLength} characters` });
  const openings = command.match(OPENING_BRACKETS)?.length ?? 0;
  if (openings > MAX_OPENINGS)
    throw new NacreError('policy_limit', { limit: `more than ${MAX_OPENINGS} opening brackets` });
}

// Unclosed brackets take quadratic time.
const OPENING_BRACKETS = /\{[^\s{}]*,|\$\(|\$\{|<\(|\(\(|`/g;
const MAX_OPENINGS = 20_000;

/** Converts an exceeded limit to a finding that refuses the command. */
function toLimitFinding(error: unknown, command: string): Finding {
  const limit = describeLimit(error);
  return {
    rule: 'too_complex',
    verdict: 'deny',
    message: `permission denied: this command is too complex to be checked: ${limit}. Write it to a script file, or run its parts one by one`,
    found: command.length > 80 ? `${command.slice(0, 80)}…` : command,
    because: limit,
    via: [],
    span: { start: 0, end: command.length },
    instead: 'several shorter commands',
  };
}

function describeLimit(error: unknown): string {
  if (error instanceof NacreError && error.code === 'policy_limit') return String(error.fields.limit);
  if (error instanceof RangeError) return 'too deeply nested';
  throw error;
}

/** Rules and settings for examining a command. */
interface ExaminationInput {
  readonly rules: readonly CompiledRule[];
  readonly directories: HostDirectories;
  readonly limits: PolicyLimits;
  /** Whether all parts are returned, or only the findings of the rules. */
  readonly parts: 'all' | 'judged';
  readonly prelude?: string;
}

/** The parts of a command with the findings of the rules and the parse errors. */
export interface CommandExamination {
  readonly parts: readonly CommandPart[];
  readonly findings: readonly Finding[];
  readonly unreadables: readonly UnreadableText[];
}

/** Evaluates a command and applies the rules to each of its parts. */
export function examineCommand(command: string, input: ExaminationInput): CommandExamination {
  const { rules, limits } = input;
  const parts: CommandPart[] = [];
  const findings = new Map<string, Finding>();
  const add = (finding: Finding): void => {
    findings.set(`${finding.rule} ${finding.span.start} ${finding.span.end} ${finding.found}`, finding);
  };
  const { directories } = input;
  const onPart = (part: CommandPart): void => {
    if (input.parts === 'all') parts.push(part);
    checkPart(part, { rules, directories, add });
  };
  const state = createStartState(input);
  const judged = input.parts === 'all' ? ['*'] : rules.flatMap(({ commands }) => commands);
  const names = new Set([...judged, ...state.commandNames()]);
  const interpreter = new Interpreter({ source: command, limits, names, onPart });
  try {
    checkCommandSize(command, limits);
    interpreter.interpret(state);
  } catch (error) {
    add(toLimitFinding(error, command));
  }
  return { parts, findings: [...findings.values()], unreadables: interpreter.unreadables };
}

/** Returns the state after earlier commands of the session, which are not checked again. */
function createStartState({ prelude, limits }: ExaminationInput): ScriptState {
  const state = new ScriptState();
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
    toLimitFinding(error, prelude);
    // A prelude beyond the limits was already refused when it ran as a command.
    return new ScriptState();
  }
}

interface PartCheck {
  readonly rules: readonly CompiledRule[];
  readonly directories: HostDirectories;
  readonly add: (finding: Finding) => void;
}

function checkPart(part: CommandPart, { rules, directories, add }: PartCheck): void {
  for (const rule of rules) {
    if (!rule.commands.includes('*') && (part.name === null || !rule.commands.includes(part.name))) continue;
    const because = runRule(rule, part, directories);
    if (because !== null) add(toRuleFinding(rule, part, because));
  }
}

/** An error in a rule counts as a finding, so that it never allows a command. */
function runRule(rule: CompiledRule, part: CommandPart, directories: HostDirectories): string | null {
  try {
    return rule.check(part, directories);
  } catch (error) {
    if (error instanceof NacreError) throw error;
    return `the rule itself failed: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function toRuleFinding(rule: CompiledRule, part: CommandPart, because: string): Finding {
  return {
    rule: rule.id,
    verdict: rule.verdict ?? 'deny',
    message: rule.message,
    found: renderCommandPart(part),
    because,
    via: part.via,
    span: part.span,
    ...(rule.instead === undefined ? {} : { instead: rule.instead }),
  };
}
