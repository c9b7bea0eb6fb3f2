/** Values of secret variables that are everyday words: hiding them would garble every output. */
const EVERYDAY: ReadonlySet<string> = new Set(
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
  if (value.length < MIN_MIXED || EVERYDAY.has(value.toLowerCase())) return false;
  const mixed = /[A-Za-z]/.test(value) && /[^A-Za-z]/.test(value);
  return mixed || value.length >= MIN_PLAIN;
}
