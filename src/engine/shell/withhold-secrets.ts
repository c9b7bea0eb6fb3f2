import { findSecretSubstrings, isFilePath, isSecretName, isTrivialValue } from './secret-patterns.ts';

type Variables = ReadonlyMap<string, string>;

/** Which variables are secrets, and which secrets a command gets. `*` matches any text. */
export interface SecretRules {
  /** Never secrets: passed on and shown. */
  readonly allow: readonly string[];
  /** Always secrets; takes precedence over `allow`. */
  readonly deny: readonly string[];
  /** Exact names of secrets that are passed on; their values are masked in output. */
  readonly grants: readonly string[];
}

interface SeparatedVariables {
  readonly passed: Variables;
  /** Sorted names. */
  readonly withheld: readonly string[];
  /** Texts to mask in every view and log, longest first. */
  readonly maskValues: readonly string[];
}

/** Removes secrets from an environment. */
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

/** Returns the names that a text mentions, such as a command that needs one or an error about it. */
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

/** Proxy variables are kept, because commands have no network without them; their passwords are masked. */
const PROXY_NAME = /^(?:\w+_)?proxy$/i;

function secretsIn(name: string, value: string): readonly string[] {
  if (isTrivialValue(value)) return [];
  const pieces = findSecretSubstrings(value);
  const secretName = isSecretName(name) && !(isFilePath(value) && !/PASS|SECRET|TOKEN/i.test(name));
  return secretName ? [value, ...pieces] : pieces;
}

/**
 * Git fails if one of its numbered settings (`GIT_CONFIG_COUNT`) is missing, so a withheld one is replaced by a
 * meaningless one.
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

/** Common words are not masked, because that would garble all output. */
const COMMON_WORDS: ReadonlySet<string> = new Set(
  (
    'changeme database default development disabled docker enabled example github gitlab localhost master mongodb ' +
    'password postgres postgresql private production rabbitmq required sandbox secret staging testing undefined username'
  ).split(' '),
);

/** Minimum length with letters and other characters, and with one kind only. */
const MIN_MIXED = 6;
const MIN_PLAIN = 8;

/**
 * Returns the texts to mask in output.
 *
 * A key of several lines is also masked line by line, because a tool may indent or number them.
 */
function toMaskValues(secrets: Iterable<string>): readonly string[] {
  const values = new Set<string>();
  for (const secret of secrets) {
    for (const piece of [secret.trim(), ...linesOf(secret)]) {
      if (isSafeToMask(piece)) values.add(piece);
    }
  }
  // Longest first: a value that contains another one is masked as a whole.
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
