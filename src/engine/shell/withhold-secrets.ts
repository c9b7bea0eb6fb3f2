import { findSecretSubstrings, isFilePath, isSecretName, isTrivialValue } from './secret-patterns.ts';

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

export interface SeparatedVariables {
  readonly passed: Variables;
  /** Names only, in order. */
  readonly withheld: readonly string[];
  /** Texts that must not show in any view or log, longest first. */
  readonly maskValues: readonly string[];
}

/** Takes out of an environment what its owner would not want every command to have. */
export function withholdSecrets(variables: Variables, rules: SecretRules): SeparatedVariables {
  const judge = createSecretClassifier(rules);
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
    passed: fillGitConfigGaps(passed, withheld),
    withheld: withheld.sort(),
    maskValues: toMaskValues(secrets),
  };
}

/** Which of these names a text mentions: a command that needs one, or an error that asks for it. */
export function namesMentionedIn(text: string, names: readonly string[]): readonly string[] {
  return names.filter((name) => new RegExp(`(?<!\\w)${escapeRegExp(name)}(?!\\w)`).test(text));
}

interface SecretVerdict {
  readonly withheld: boolean;
  readonly secrets: readonly string[];
}

const HARMLESS: SecretVerdict = { withheld: false, secrets: [] };

function createSecretClassifier(rules: SecretRules): (name: string, value: string) => SecretVerdict {
  const granted = new Set(rules.grants);
  const allowed = toMatcher(rules.allow);
  const denied = toMatcher(rules.deny);
  return (name, value) => {
    const named = denied(name);
    if (!named && allowed(name)) return HARMLESS;
    const pieces = named ? [value] : secretsIn(name, value);
    if (pieces.length === 0) return HARMLESS;
    return { withheld: !granted.has(name) && (named || !PROXY_NAME.test(name)), secrets: pieces };
  };
}

/** Without its proxy a command has no network at all, so it keeps it; the password in it is masked. */
const PROXY_NAME = /^(?:\w+_)?proxy$/i;

function secretsIn(name: string, value: string): readonly string[] {
  if (isTrivialValue(value)) return [];
  const pieces = findSecretSubstrings(value);
  const secretName = isSecretName(name) && !(isFilePath(value) && !/PASS|SECRET|TOKEN/i.test(name));
  return secretName ? [value, ...pieces] : pieces;
}

/**
 * Git counts its settings (`GIT_CONFIG_COUNT`) and stops when one of them is missing, so a withheld one
 * is replaced by one that means nothing.
 */
function fillGitConfigGaps(passed: Map<string, string>, withheld: readonly string[]): Variables {
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

/** Values of secret variables that are everyday words: hiding them would garble every output. */
const COMMON_WORDS: ReadonlySet<string> = new Set(
  (
    'changeme database default development disabled docker enabled example github gitlab localhost master mongodb ' +
    'password postgres postgresql private production rabbitmq required sandbox secret staging testing undefined username'
  ).split(' '),
);

/** A mixed value is no word even when it is short. */
const MIN_MIXED = 6;
const MIN_PLAIN = 8;

/**
 * What to look for in output so that a secret does not show.
 *
 * A key of several lines is also found line by line, as a tool may indent or number them.
 */
export function toMaskValues(secrets: Iterable<string>): readonly string[] {
  const values = new Set<string>();
  for (const secret of secrets) {
    for (const piece of [secret.trim(), ...linesOf(secret)]) {
      if (isSafeToMask(piece)) values.add(piece);
    }
  }
  // Longest first: a value that contains another one is hidden whole.
  return [...values].sort((a, b) => b.length - a.length);
}

function linesOf(secret: string): string[] {
  if (!secret.includes('\n')) return [];
  return secret
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.length >= 16 && !line.startsWith('-----'));
}

function isSafeToMask(value: string): boolean {
  if (value.length < MIN_MIXED || COMMON_WORDS.has(value.toLowerCase())) return false;
  const mixed = /[A-Za-z]/.test(value) && /[^A-Za-z]/.test(value);
  return mixed || value.length >= MIN_PLAIN;
}
