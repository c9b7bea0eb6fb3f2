import {
  droppedVariables,
  type NonInteractiveOutput,
  nonInteractiveVariables,
} from './non-interactive-variables.ts';
import { type SecretRules, withholdSecrets } from './withhold-secrets.ts';

type Values = Readonly<Record<string, string | undefined>>;

/** Everything that has a say in what a command finds in its environment. */
export interface EnvironmentRequest {
  /** What this program was started with. */
  readonly inherited: Values;
  /** What the session adds; stronger than disarming. */
  readonly session: Values;
  /** What this call adds; stronger than everything else. */
  readonly call: Values;
  /** `off`: prompts, pagers and the repository in hand are left as they are inherited. */
  readonly disarm: NonInteractiveOutput | 'off';
  /** Whether disarming says `CI=true`; an inherited `CI` stays either way. */
  readonly ci: boolean;
  /** `null`: nothing is a secret. */
  readonly secrets: SecretRules | null;
}

/** The environment of a command, and what was done to it. */
export interface ChildEnvironment {
  /** A copy: nothing that is done to it reaches the next command. */
  readonly env: Readonly<Record<string, string>>;
  /** Inherited names that were taken for secrets and are not there. */
  readonly withheld: readonly string[];
  /** Texts that must not show in any view or log, longest first. */
  readonly maskValues: readonly string[];
  /** Names asked for by the session or the call that no process can be given. */
  readonly dropped: readonly string[];
}

/** Builds a command's environment: inherited < disarming < session < call < our mark. */
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
    // Not a loop of assignments: a variable may be called `__proto__`.
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
 * Odd names (`ProgramFiles(x86)`) are kept: the system takes them. What it does not take is dropped,
 * and so are the names our supervisor keeps its own state under.
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
