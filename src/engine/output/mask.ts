/** What stands where a secret stood. */
const REDACTED = '[redacted]';
/** Shorter ones are found in harmless text all the time: masking them would destroy it and hide nothing. */
const MIN_CHARACTERS = 4;

/** Takes known secret values out of text. */
export interface Mask {
  /** How long the longest secret is; a text cut off within less than this of its end may end in part of one. */
  readonly longest: number;
  apply(text: string): string;
  /** A part of a text with the secrets that begin before it or end after it. */
  applyPart(text: string, part: { readonly from: number; readonly to: number }): string;
  /** For text that goes on: a start of a secret at its end is taken out too. */
  applyUnfinished(text: string): string;
}

export const NO_MASK: Mask = {
  longest: 0,
  apply: (text) => text,
  applyPart: (text, { from, to }) => text.slice(from, to),
  applyUnfinished: (text) => text,
};

/** Values of several lines are masked line by line, since text is shown and cut by lines. */
export function createMask(values: readonly string[]): Mask {
  const secrets = [...new Set(values.flatMap((value) => value.split(/\r?\n/)))].filter(
    (value) => value.length >= MIN_CHARACTERS,
  );
  if (secrets.length === 0) return NO_MASK;
  const any = new RegExp(secrets.map(escapePattern).join('|'));
  const apply = (text: string): string =>
    any.test(text) ? redact(text, { from: 0, to: text.length }, findAll(text, secrets)) : text;
  return {
    longest: Math.max(...secrets.map((secret) => secret.length)),
    apply,
    applyPart: (text, part) => redact(text, part, findAll(text, secrets)),
    applyUnfinished: (text) => hideStart(apply(text), secrets),
  };
}

function hideStart(text: string, secrets: readonly string[]): string {
  const starts = secrets.flatMap((secret) => {
    let length = Math.min(secret.length - 1, text.length);
    while (length >= MIN_CHARACTERS && !text.endsWith(secret.slice(0, length))) length -= 1;
    return length >= MIN_CHARACTERS ? length : [];
  });
  return starts.length === 0 ? text : text.slice(0, -Math.max(...starts)) + REDACTED;
}

type Span = readonly [from: number, to: number];

/** All places, sorted; those that overlap are one, so that no end of a secret stays behind another. */
function findAll(text: string, secrets: readonly string[]): Span[] {
  const spans = secrets.flatMap((secret) => occurrences(text, secret)).sort(([a], [b]) => a - b);
  const merged: Span[] = [];
  for (const [from, to] of spans) {
    const last = merged.at(-1);
    if (last !== undefined && from < last[1]) merged[merged.length - 1] = [last[0], Math.max(last[1], to)];
    else merged.push([from, to]);
  }
  return merged;
}

function occurrences(text: string, secret: string): Span[] {
  const found: Span[] = [];
  for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + 1)) {
    found.push([at, at + secret.length]);
  }
  return found;
}

function redact(text: string, { from, to }: { from: number; to: number }, spans: readonly Span[]): string {
  let result = '';
  let at = from;
  for (const [start, end] of spans) {
    if (end <= at || start >= to) continue;
    result += text.slice(at, Math.max(at, start)) + REDACTED;
    at = end;
  }
  return result + text.slice(at, Math.max(at, to));
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
