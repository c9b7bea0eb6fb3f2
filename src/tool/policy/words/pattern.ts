import { ownValue } from '../../../engine/text/own-value.ts';
import type { Atom, Field } from './atom.ts';

/** One step of a pattern: a star, or something that takes exactly one character. */
type Step = 'star' | { readonly takes: (char: string) => boolean };

/** A shell pattern that can be tried on names. `null` where it needs more than stars, marks and brackets. */
export type Pattern = readonly Step[];

/** Reads a field as a pattern: text stands for itself, globs are live, anything else may be any string. */
export function toPattern(field: Field): Pattern | null {
  const steps: Step[] = [];
  for (const atom of field) {
    const more = atomSteps(atom);
    if (more === null) return null;
    steps.push(...more);
  }
  return steps;
}

/** Tries a pattern on a whole string, in time proportional to the product of their lengths at worst. */
export function matches(pattern: Pattern, text: string): boolean {
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

function atomSteps(atom: Atom): readonly Step[] | null {
  if (atom.kind === 'text') return [...atom.text].map(exactly);
  if (atom.kind !== 'glob') return ['star'];
  if (/^\*+$/.test(atom.text)) return ['star'];
  if (atom.text === '?') return [{ takes: () => true }];
  return atom.text.startsWith('[') ? [bracket(atom.text)] : null;
}

function exactly(char: string): Step {
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

function bracket(text: string): Step {
  const negated = /^\[[!^]/.test(text);
  let body = text.slice(negated ? 2 : 1, -1);
  const tests: ((char: string) => boolean)[] = [];
  body = body.replace(/\[:(\w+):\]/g, (_, name: string) => {
    tests.push((char) => ownValue(CLASSES, name)?.test(char) ?? true);
    return '';
  });
  for (const [all, from = all, to = all] of body.matchAll(/(.)-(.)|./gs))
    tests.push((char) => char >= from && char <= to);
  return { takes: (char) => tests.some((test) => test(char)) !== negated };
}

/** Whether a pattern for file names can match a name; a leading dot must be written out. */
export function couldBeNamed(field: Field, name: string): boolean {
  const [first] = field;
  if (name.startsWith('.') && first?.kind === 'glob' && !first.deep) return false;
  const pattern = toPattern(field);
  return pattern === null ? couldExtend(field, name) : matches(pattern, name);
}

/** Extended patterns are read generously: their literal surroundings must fit, the rest may be anything. */
function couldExtend(field: Field, name: string): boolean {
  const loose = field.map((atom): Atom => (atom.kind === 'glob' ? { kind: 'glob', text: '*' } : atom));
  const pattern = toPattern(loose);
  return pattern !== null && matches(pattern, name);
}

const PROBES = ['src', 'lib', 'app', 'test', 'docs', 'main', 'README', 'build', 'x', 'package'];

/** Whether a pattern takes just about every name: `*`, `?*`, `[a-z]*`, `???`, `*.*`, `!(keep)`. */
export function isBroad(field: Field): boolean {
  if (!field.some((atom) => atom.kind === 'glob')) return false;
  if (field.some((atom) => atom.kind === 'unknown' || atom.kind === 'place')) return false;
  if (field.some((atom) => atom.kind === 'text' && /[^.]/.test(atom.text))) return false;
  const extended = field.some((atom) => atom.kind === 'glob' && /^[!*+?]\(/.test(atom.text));
  const dots = field.some((atom) => atom.kind === 'text');
  const pattern = toPattern(field);
  if (extended || (dots && field[0]?.kind === 'glob')) return true;
  return pattern !== null && PROBES.filter((name) => matches(pattern, name)).length >= 3;
}
