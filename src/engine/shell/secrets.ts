import { toMaskValues } from './mask-value.ts';
import { isSecretName } from './secret-name.ts';
import { isFilePath, isTooPlainToBeSecret, secretPieces } from './secret-value.ts';

type Variables = ReadonlyMap<string, string>;

/** Which variables are secrets, and which of those a child gets all the same. `*` stands for any text. */
export interface SecretRules {
  /** Not secrets, whatever they look like: passed on and shown. */
  readonly allow: readonly string[];
  /** Secrets, whatever they look like. Stronger than `allow`. */
  readonly deny: readonly string[];
  /** Secrets that are passed on, by their exact names; their values are masked in what is shown. */
  readonly grants: readonly string[];
}

export interface SortedVariables {
  readonly passed: Variables;
  /** Names only, in order. */
  readonly withheld: readonly string[];
  /** Texts that must not show in any view or log, longest first. */
  readonly maskValues: readonly string[];
}

/** Takes out of an environment what its owner would not want every command to have. */
export function withholdSecrets(variables: Variables, rules: SecretRules): SortedVariables {
  const judge = createJudge(rules);
  const passed = new Map<string, string>();
  const withheld: string[] = [];
  const secrets: string[] = [];
  for (const [name, value] of variables) {
    const verdict = judge(name, value);
    secrets.push(...verdict.secrets);
    if (verdict.withheld) withheld.push(name);
    else passed.set(name, value);
  }
  return {
    passed: closeGitGaps(passed, withheld),
    withheld: withheld.sort(),
    maskValues: toMaskValues(secrets),
  };
}

/** Which of these names a text mentions: a command that needs one, or an error that asks for it. */
export function namesMentionedIn(text: string, names: readonly string[]): readonly string[] {
  return names.filter((name) => new RegExp(`(?<!\\w)${escapeRegExp(name)}(?!\\w)`).test(text));
}

interface Verdict {
  readonly withheld: boolean;
  readonly secrets: readonly string[];
}

const HARMLESS: Verdict = { withheld: false, secrets: [] };

function createJudge(rules: SecretRules): (name: string, value: string) => Verdict {
  const granted = new Set(rules.grants);
  const allowed = toMatcher(rules.allow);
  const denied = toMatcher(rules.deny);
  return (name, value) => {
    const named = denied(name);
    if (!named && allowed(name)) return HARMLESS;
    const pieces = named ? [value] : secretsIn(name, value);
    if (pieces.length === 0) return HARMLESS;
    return { withheld: !granted.has(name) && (named || !PROXY.test(name)), secrets: pieces };
  };
}

/** Without its proxy a command has no network at all, so it keeps it; the password in it is masked. */
const PROXY = /^(?:\w+_)?proxy$/i;

function secretsIn(name: string, value: string): readonly string[] {
  if (isTooPlainToBeSecret(value)) return [];
  const pieces = secretPieces(value);
  const secretName = isSecretName(name) && !(isFilePath(value) && !/PASS|SECRET|TOKEN/i.test(name));
  return secretName ? [value, ...pieces] : pieces;
}

/**
 * Git counts its settings (`GIT_CONFIG_COUNT`) and stops when one of them is missing, so a withheld one
 * is replaced by one that means nothing.
 */
function closeGitGaps(passed: Map<string, string>, withheld: readonly string[]): Variables {
  for (const name of withheld) {
    const index = /^GIT_CONFIG_(?:KEY|VALUE)_(\d+)$/.exec(name)?.[1];
    if (index === undefined) continue;
    passed.set(`GIT_CONFIG_KEY_${index}`, 'nacre.withheld');
    passed.set(`GIT_CONFIG_VALUE_${index}`, '');
  }
  return passed;
}

function toMatcher(patterns: readonly string[]): (name: string) => boolean {
  if (patterns.length === 0) return () => false;
  const sources = patterns.map((pattern) => pattern.split('*').map(escapeRegExp).join('.*'));
  const any = new RegExp(`^(?:${sources.join('|')})$`, 'is');
  return (name) => any.test(name);
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
