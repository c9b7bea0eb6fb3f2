import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeKey, encodePaste, encodeText } from '../../../../src/engine/terminal/encode-key.ts';
import type { KeyModes } from '../../../../src/engine/terminal/key-modes.ts';
import { createKey, parseKeyName, readKey } from '../../../../src/engine/terminal/terminal-key.ts';

const MODES: KeyModes = { applicationCursor: false, bracketedPaste: false, kitty: 0, modifyOtherKeys: 0 };
const sent = (raw: string, modes: Partial<KeyModes> = {}): string =>
  encodeKey(readKey(raw) ?? createKey('none'), { ...MODES, ...modes });

/** What terminals of the old kind send; nothing may happen to it on its way to a program that asked for nothing. */
const OLD = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ...[...'ABCDHF'].flatMap((letter) => [`\x1b[${letter}`, `\x1b[1;5${letter}`, `\x1b[1;2${letter}`]),
  ...[...'PQRS'].map((letter) => `\x1bO${letter}`),
  ...[2, 3, 5, 6, 15, 17, 18, 19, 20, 21, 23, 24].flatMap((number) => [
    `\x1b[${number}~`,
    `\x1b[${number};3~`,
  ]),
  ...['\x1b[Z', '\x1bb', '\x1bB', '\x1b\x7f', '\x1b\r', '\x1b\x03', '\x1b[', '\x1bO', 'é', 'É', '漢', '👍'],
];

test.each(OLD)('a program that asked for nothing gets %j as it came', (raw) => {
  expect(sent(raw)).toBe(raw);
});

test.each([
  ['\x1b[A', { applicationCursor: true }, '\x1bOA'],
  ['\x1bOA', {}, '\x1b[A'],
  ['\x1b[1;5A', { applicationCursor: true }, '\x1b[1;5A'],
  ['\x1b[1~', {}, '\x1b[H'],
  ['\x1b[97;5u', {}, '\x01'],
  ['\x1b[97;3u', {}, '\x1ba'],
  ['\x1b[97;2u', {}, 'A'],
  ['\x1b[9;2u', {}, '\x1b[Z'],
  ['\x1b[13u', {}, '\r'],
  ['\x1b[13;5u', {}, '\r'],
  ['\x1b[27u', {}, '\x1b'],
  ['\x1b[32;5u', {}, '\x00'],
  ['\x1b[57414u', {}, '\r'],
  ['\x1b[97;1:3u', {}, ''],
  ['\x1b[57441u', {}, ''],
])('of the old kind: %j in mode %j is %j', (raw, modes, expected) => {
  expect(sent(raw, modes)).toBe(expected);
});

test.each([
  ['a', 1, 'a'],
  ['A', 1, 'A'],
  ['\r', 1, '\r'],
  ['\t', 1, '\t'],
  ['\x7f', 1, '\x7f'],
  ['\x1b', 1, '\x1b[27u'],
  ['\x03', 1, '\x1b[99;5u'],
  ['\x1bb', 1, '\x1b[98;3u'],
  ['\x1b[Z', 1, '\x1b[9;2u'],
  ['\x1b[13;2u', 1, '\x1b[13;2u'],
  ['\x1b[A', 1, '\x1b[A'],
  ['\x1bOA', 1, '\x1b[A'],
  ['\x1b[1;5A', 1, '\x1b[1;5A'],
  ['\x1bOR', 1, '\x1b[13~'],
  ['\x1bOP', 1, '\x1b[P'],
  ['\x1b[3~', 1, '\x1b[3~'],
  ['\x1b[97;5:3u', 1, ''],
  ['\x1b[97;5:3u', 3, '\x1b[97;5:3u'],
  ['\x1b[97;1:3u', 3, '\x1b[97;1:3u'],
  ['\x1b[13;1:3u', 3, ''],
  ['\x1b[13;1:3u', 11, '\x1b[13;1:3u'],
  ['\x1b[1;1:2A', 3, '\x1b[1;1:2A'],
  ['a', 8, '\x1b[97u'],
  ['A', 8, '\x1b[97;2u'],
  ['\r', 8, '\x1b[13u'],
  ['A', 12, '\x1b[97:65;2u'],
  ['\x1b[97:65:99;2u', 13, '\x1b[97:65:99;2u'],
  ['a', 24, '\x1b[97;;97u'],
  ['A', 24, '\x1b[97;2;65u'],
  ['\x01', 24, '\x1b[97;5u'],
  ['\x1b[57441;2u', 8, '\x1b[57441;2u'],
])('of the newer kind: %j with flags %i is %j', (raw, kitty, expected) => {
  expect(sent(raw, { kitty })).toBe(expected);
});

test.each([
  ['\x03', 1, '\x03'],
  ['\x03', 2, '\x1b[27;5;99~'],
  ['\x1b[13;5u', 1, '\x1b[27;5;13~'],
  ['\x1b[49;5u', 1, '\x1b[27;5;49~'],
  ['\x1bb', 1, '\x1bb'],
  ['\x1bb', 2, '\x1b[27;3;98~'],
  ['A', 2, 'A'],
  ['\x1b[Z', 2, '\x1b[Z'],
  ['\x1b[1;5A', 2, '\x1b[1;5A'],
] as const)('the way of xterm: %j at level %i is %j', (raw, modifyOtherKeys, expected) => {
  expect(sent(raw, { modifyOtherKeys })).toBe(expected);
});

test('whatever flags a program sets, a key that is pressed gives it something, and it can be read back', () => {
  const names = fc.constantFrom(
    'a',
    'z',
    '5',
    '[',
    'space',
    'enter',
    'tab',
    'escape',
    'up',
    'home',
    'f3',
    'f9',
    'delete',
  );
  fc.assert(
    fc.property(
      names,
      fc.integer({ min: 0, max: 7 }),
      fc.integer({ min: 0, max: 31 }),
      (name, modifiers, kitty) => {
        const bytes = encodeKey(createKey(name, { modifiers }), { ...MODES, kitty });
        expect(bytes).not.toBe('');
        // What is written as it is says nothing of what was held.
        if ((kitty & 9) !== 0 && bytes.startsWith('\x1b'))
          expect(readKey(bytes)).toMatchObject({ name, modifiers });
      },
    ),
  );
});

test.each([
  ['enter', '\r'],
  ['Ctrl-C', '\x03'],
  ['ctrl-@', '\x00'],
  ['ctrl-space', '\x00'],
  ['ctrl-]', '\x1d'],
  ['alt-x', '\x1bx'],
  ['alt-B', '\x1bB'],
  ['shift-tab', '\x1b[Z'],
  ['ctrl-up', '\x1b[1;5A'],
  ['shift-ctrl-left', '\x1b[1;6D'],
  ['alt-enter', '\x1b\r'],
  ['q', 'q'],
  ['Q', 'Q'],
  ['-', '-'],
  ['ctrl--', '-'],
  ['page-down', '\x1b[6~'],
])('the key named %s is %j', (name, expected) => {
  expect(encodeKey(parseKeyName(name) ?? createKey('none'), MODES)).toBe(expected);
});

test.each(['', 'ctrl-', 'return', 'hyper-x', 'ab', 'toString', '\n'])('there is no key %j', (name) => {
  expect(parseKeyName(name)).toBeNull();
});

test('text is typed as it is, or key by key where the program wants that', () => {
  expect(encodeText('hi\nthere', MODES)).toBe('hi\rthere');
  expect(encodeText('hI\n', { ...MODES, kitty: 8 })).toBe('\x1b[104u\x1b[105;2u\x1b[13u');
});

test('a paste is marked where the program wants that, and cannot end itself early and type the rest', () => {
  expect(encodePaste('a\nb', MODES)).toBe('a\rb');
  expect(encodePaste('a\x1b[201~rest', { ...MODES, bracketedPaste: true })).toBe('\x1b[200~arest\x1b[201~');
});
