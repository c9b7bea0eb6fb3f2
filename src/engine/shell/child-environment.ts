import {
  droppedVariables,
  type NonInteractiveOutput,
  nonInteractiveVariables,
} from './non-interactive-variables.ts';
import { type SecretRules, withholdSecrets } from './withhold-secrets.ts';

type Values = Readonly<Record<string, string | undefined>>;

/** Sources and rules of a command's environment. */
export interface EnvironmentRequest {
  /** The environment of this process. */
  readonly inherited: Values;
  /** Variables of the session; they override the non-interactive variables. */
  readonly session: Values;
  /** Variables of the call; they override all others. */
  readonly call: Values;
  /** `off`: prompts, pagers and the git repository variables are inherited unchanged. */
  readonly disarm: NonInteractiveOutput | 'off';
  /** Whether `CI=true` is set; an inherited `CI` stays either way. */
  readonly ci: boolean;
  /** `null`: no variable is withheld. */
  readonly secrets: SecretRules | null;
}

/** The environment of a command, and what was withheld from it. */
export interface ChildEnvironment {
  readonly env: Readonly<Record<string, string>>;
  /** Names of inherited variables that were withheld as secrets. */
  readonly withheld: readonly string[];
  /** Texts to mask in every view and log, longest first. */
  readonly maskValues: readonly string[];
  /** Variables of the session or the call that execve(2) cannot pass. */
  readonly dropped: readonly string[];
}

/** Builds a command's environment: inherited < non-interactive < session < call < `NACRE=1`. */
export function buildEnvironment(request: EnvironmentRequest): ChildEnvironment {
  const inherited = splitUsable(request.inherited);
  const session = splitUsable(request.session);
  const call = splitUsable(request.call);
  const sorted = separateSecrets(inherited.values, request.secrets);
  const own = separateSecrets(session.values, request.secrets);

  const merged = new Map(sorted.passed);
  applyNonInteractive(merged, request);
  for (const [name, value] of [...session.values, ...call.values]) merged.set(name, value);
  merged.set('NACRE', '1');

  return {
    // `fromEntries`, because assignment to `__proto__` would set the prototype.
    env: Object.fromEntries(merged),
    withheld: sorted.withheld.filter((name) => !merged.has(name)),
    maskValues: [...new Set([...sorted.maskValues, ...own.maskValues])].sort((a, b) => b.length - a.length),
    dropped: [...session.dropped, ...call.dropped],
  };
}

function applyNonInteractive(merged: Map<string, string>, { disarm: output, ci }: EnvironmentRequest): void {
  if (output === 'off') return;
  for (const name of droppedVariables(output)) merged.delete(name);
  for (const [name, value] of Object.entries(nonInteractiveVariables({ output, ci })))
    merged.set(name, value);
}

function separateSecrets(values: ReadonlyMap<string, string>, rules: SecretRules | null) {
  return rules === null ? { passed: values, withheld: [], maskValues: [] } : withholdSecrets(values, rules);
}

/**
 * Drops variables that execve(2) cannot pass and names that the supervisor uses. Names that bash cannot
 * express, such as `ProgramFiles(x86)`, are kept.
 */
function splitUsable(values: Values): { values: ReadonlyMap<string, string>; dropped: readonly string[] } {
  const kept = new Map<string, string>();
  const dropped: string[] = [];
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue;
    if (/^$|[=\0]|^nacre_/.test(name) || value.includes('\0')) dropped.push(name);
    else kept.set(name, value);
  }
  return { values: kept, dropped };
}
