import { ownProperty } from '../../../engine/text/own-property.ts';
import type { Atom, Field } from './field.ts';

/** One step of a pattern: a star, or a test for exactly one character. */
type PatternStep = 'star' | { readonly takes: (char: string) => boolean };

/** A compiled shell pattern of literals, `*`, `?` and bracket expressions. */
export type ShellPattern = readonly PatternStep[];

/**
 * Compiles a field as a pattern: text is literal, globs are active, other pieces match any string. Returns
 * `null` for extended patterns.
 */
export function toShellPattern(field: Field): ShellPattern | null {
  const steps: PatternStep[] = [];
  for (const atom of field) {
    const more = atomSteps(atom);
    if (more === null) return null;
    steps.push(...more);
  }
  return steps;
}

/** Matches a pattern against a whole string. The time is at most the product of their lengths. */
export function matchesShellPattern(pattern: ShellPattern, text: string): boolean {
  let step = 0;
  let at = 0;
  let star = -1;
  let mark = 0;
  while (at < text.length) {
    const current = pattern[step];
    if (current !== undefined && current !== 'star' && current.takes(text.charAt(at))) {
      step += 1;
      at += 1;
    } else if (current === 'star') {
      star = step;
      mark = at;
      step += 1;
    } else if (star >= 0) {
      step = star + 1;
      mark += 1;
      at = mark;
    } else return false;
  }
  while (pattern[step] === 'star') step += 1;
  return step === pattern.length;
}

function atomSteps(atom: Atom): readonly PatternStep[] | null {
  if (atom.kind === 'text') return [...atom.text].map(exactly);
  if (atom.kind !== 'glob') return ['star'];
  if (/^\*+$/.test(atom.text)) return ['star'];
  if (atom.text === '?') return [{ takes: () => true }];
  return atom.text.startsWith('[') ? [bracket(atom.text)] : null;
}

function exactly(char: string): PatternStep {
  return { takes: (other) => other === char };
}

const CLASSES: Readonly<Record<string, RegExp>> = {
  alpha: /[A-Za-z]/,
  digit: /[0-9]/,
  alnum: /[A-Za-z0-9]/,
  lower: /[a-z]/,
  upper: /[A-Z]/,
  punct: /[!-/:-@[-`{-~]/,
  word: /\w/,
  space: /\s/,
};

function bracket(text: string): PatternStep {
  const negated = /^\[[!^]/.test(text);
  let body = text.slice(negated ? 2 : 1, -1);
  const tests: ((char: string) => boolean)[] = [];
  body = body.replace(/\[:(\w+):\]/g, (_, name: string) => {
    tests.push((char) => ownProperty(CLASSES, name)?.test(char) ?? true);
    return '';
  });
  for (const [all, from = all, to = all] of body.matchAll(/(.)-(.)|./gs))
    tests.push((char) => char >= from && char <= to);
  return { takes: (char) => tests.some((test) => test(char)) !== negated };
}

/** Whether a file name pattern can match a name; a leading dot must be matched explicitly. */
export function mayMatchName(field: Field, name: string): boolean {
  const [first] = field;
  if (name.startsWith('.') && first?.kind === 'glob' && !first.deep) return false;
  const pattern = toShellPattern(field);
  return pattern === null ? mayMatchExtended(field, name) : matchesShellPattern(pattern, name);
}

/** Treats each extended pattern as `*`: only the literal text around it must match. */
function mayMatchExtended(field: Field, name: string): boolean {
  const loose = field.map((atom): Atom => (atom.kind === 'glob' ? { kind: 'glob', text: '*' } : atom));
  const pattern = toShellPattern(loose);
  return pattern !== null && matchesShellPattern(pattern, name);
}

const PROBE_NAMES = ['src', 'lib', 'app', 'test', 'docs', 'main', 'README', 'build', 'x', 'package'];

/** Whether a pattern matches nearly every name, such as `*`, `?*`, `[a-z]*`, `???`, `*.*` or `!(keep)`. */
export function isBroadPattern(field: Field): boolean {
  if (!field.some((atom) => atom.kind === 'glob')) return false;
  if (field.some((atom) => atom.kind === 'unknown' || atom.kind === 'symbol')) return false;
  if (field.some((atom) => atom.kind === 'text' && /[^.]/.test(atom.text))) return false;
  const extended = field.some((atom) => atom.kind === 'glob' && /^[!*+?]\(/.test(atom.text));
  const dots = field.some((atom) => atom.kind === 'text');
  const pattern = toShellPattern(field);
  if (extended || (dots && field[0]?.kind === 'glob')) return true;
  return pattern !== null && PROBE_NAMES.filter((name) => matchesShellPattern(pattern, name)).length >= 3;
}
