const REDACTED_MARK = '[redacted]';
/** Shorter values occur in harmless text too often to mask them. */
const MIN_SECRET_CHARACTERS = 4;

/** Replaces known secret values in text. */
export interface SecretMask {
  /** Length of the longest secret. Text that is cut may end in a part of a secret up to this length. */
  readonly maxSecretLength: number;
  apply(text: string): string;
  /** Masks a part of a text, including secrets that begin before it or end after it. */
  applyPart(text: string, part: { readonly from: number; readonly to: number }): string;
  /** For text that continues: also masks the beginning of a secret at the end. */
  applyToPartialText(text: string): string;
}

/** A mask without secrets. */
export const NO_SECRET_MASK: SecretMask = {
  maxSecretLength: 0,
  apply: (text) => text,
  applyPart: (text, { from, to }) => text.slice(from, to),
  applyToPartialText: (text) => text,
};

/**
 * Creates a mask for secret values. A value of several lines is masked line by line, because text is shown by
 * lines.
 */
export function createSecretMask(values: readonly string[]): SecretMask {
  const secrets = [...new Set(values.flatMap((value) => value.split(/\r?\n/)))].filter(
    (value) => value.length >= MIN_SECRET_CHARACTERS,
  );
  if (secrets.length === 0) return NO_SECRET_MASK;
  const any = new RegExp(secrets.map(escapePattern).join('|'));
  const apply = (text: string): string =>
    any.test(text) ? redactSpans(text, { from: 0, to: text.length }, findSecretSpans(text, secrets)) : text;
  return {
    maxSecretLength: Math.max(...secrets.map((secret) => secret.length)),
    apply,
    applyPart: (text, part) => redactSpans(text, part, findSecretSpans(text, secrets)),
    applyToPartialText: (text) => redactPartialSecret(apply(text), secrets),
  };
}

function redactPartialSecret(text: string, secrets: readonly string[]): string {
  const starts = secrets.flatMap((secret) => {
    let length = Math.min(secret.length - 1, text.length);
    while (length >= MIN_SECRET_CHARACTERS && !text.endsWith(secret.slice(0, length))) length -= 1;
    return length >= MIN_SECRET_CHARACTERS ? length : [];
  });
  return starts.length === 0 ? text : text.slice(0, -Math.max(...starts)) + REDACTED_MARK;
}

type SecretSpan = readonly [from: number, to: number];

/** All occurrences, sorted. Overlapping ones are merged, so that no end of a secret remains. */
function findSecretSpans(text: string, secrets: readonly string[]): SecretSpan[] {
  const spans = secrets.flatMap((secret) => occurrences(text, secret)).sort(([a], [b]) => a - b);
  const merged: SecretSpan[] = [];
  for (const [from, to] of spans) {
    const last = merged.at(-1);
    if (last !== undefined && from < last[1]) merged[merged.length - 1] = [last[0], Math.max(last[1], to)];
    else merged.push([from, to]);
  }
  return merged;
}

function occurrences(text: string, secret: string): SecretSpan[] {
  const found: SecretSpan[] = [];
  for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + 1)) {
    found.push([at, at + secret.length]);
  }
  return found;
}

function redactSpans(
  text: string,
  { from, to }: { from: number; to: number },
  spans: readonly SecretSpan[],
): string {
  let result = '';
  let at = from;
  for (const [start, end] of spans) {
    if (end <= at || start >= to) continue;
    result += text.slice(at, Math.max(at, start)) + REDACTED_MARK;
    at = end;
  }
  return result + text.slice(at, Math.max(at, to));
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
