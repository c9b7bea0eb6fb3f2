import type { Call, Handler } from '../state/machine.ts';
import { readFile } from '../state/stored-file.ts';
import { parseOptions } from '../unwrap/options.ts';
import type { Field } from '../words/atom.ts';
import { literalOf, toField, UNKNOWN } from '../words/atom.ts';

/** Applies a change to what a command reads, where that is known. */
function decoder(change: (text: string, words: readonly string[]) => string | null): Handler {
  return (call) => {
    const words = call.argv.slice(1).map((word) => literalOf(word) ?? '');
    return input(call).map((text) => {
      const literal = literalOf(text);
      const changed = literal === null ? null : change(literal, words);
      return changed === null ? UNKNOWN : toField(changed);
    });
  };
}

function input(call: Call): readonly Field[] {
  const { operands } = parseOptions(call.argv.slice(1), { short: 'win', permute: true });
  const file = operands.findLast((field) => !/^(?:enc|base64)$/.test(literalOf(field) ?? ''));
  const known = file === undefined ? [UNKNOWN] : readFile(file, call);
  return literalOf(known[0]) === null ? (call.frame.stdin ?? [UNKNOWN]) : known;
}

function asks(words: readonly string[], letter: string, long: string): boolean {
  return words.some(
    (word) =>
      new RegExp(`^-\\w*${letter}`).test(word) || (word.startsWith('--') && long.startsWith(word.slice(2))),
  );
}

const base64 = decoder((text, words) =>
  asks(words, '[dD]', 'decode')
    ? Buffer.from(text, 'base64').toString('utf8')
    : `${Buffer.from(text).toString('base64')}\n`,
);

const openssl = decoder((text, words) => {
  const isBase64 = words.includes('base64') || words.includes('-base64') || words.includes('-a');
  return isBase64 && words.includes('-d') ? Buffer.from(text, 'base64').toString('utf8') : null;
});

const xxd = decoder((text, words) => {
  if (!words.some((word) => /^-\w*r/.test(word))) return null;
  return Buffer.from(text.replace(/[^0-9a-fA-F]/g, ''), 'hex').toString('utf8');
});

const rev = decoder((text) =>
  text
    .split('\n')
    .map((line) => [...line].reverse().join(''))
    .join('\n'),
);

/** `tr` with plain sets: letters, ranges and escapes. */
const tr = decoder((text, words) => {
  const flags = words.filter((word) => /^-[cdsCt]+$/.test(word)).join('');
  const [from = '', to = ''] = words.filter((word) => !/^-[cdsCt]+$/.test(word)).map(expandSet);
  if (/[cC]/.test(flags)) return null;
  if (flags.includes('d')) return [...text].filter((char) => !from.includes(char)).join('');
  if (flags.includes('s') && to === '') return text;
  return [...text]
    .map((char) => (from.includes(char) ? to.charAt(from.indexOf(char)) || to.slice(-1) : char))
    .join('');
});

function expandSet(set: string): string {
  return set
    .replace(/\[:upper:\]/g, 'A-Z')
    .replace(/\[:lower:\]/g, 'a-z')
    .replace(/\\n/g, '\n')
    .replace(/\\t/g, '\t')
    .replace(/(.)-(.)/gs, (_, from: string, to: string) => {
      const [a, b] = [from.charCodeAt(0), to.charCodeAt(0)];
      return b < a || b - a > 256
        ? ''
        : Array.from({ length: b - a + 1 }, (__, index) => String.fromCharCode(a + index)).join('');
    });
}

/** `sed s/a/b/` for plain texts; anything more is not known. */
const sed = decoder((text, words) => {
  const scripts = words.filter((word) => !word.startsWith('-'));
  const match = /^s(.)((?:(?!\1)[^\\.*[\]^$+?(){}|])*)\1((?:(?!\1)[^\\&])*)\1(g?)$/.exec(scripts[0] ?? '');
  if (match === null || scripts.length !== 1) return null;
  const [, , from = '', to = '', global] = match;
  const change = (line: string): string =>
    global === 'g' ? line.replaceAll(from, () => to) : line.replace(from, () => to);
  return text.split('\n').map(change).join('\n');
});

export const decoders: readonly (readonly [string, Handler])[] = [
  ['base64', base64],
  ['gbase64', base64],
  ['openssl', openssl],
  ['xxd', xxd],
  ['rev', rev],
  ['tr', tr],
  ['sed', sed],
];
