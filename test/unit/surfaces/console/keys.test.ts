import { expect, test } from 'vitest';
import type { KeyPress } from '../../../../src/surfaces/console/screen/key-reader.ts';
import { KeyReader } from '../../../../src/surfaces/console/screen/key-reader.ts';
import { parseTerminalReply } from '../../../../src/surfaces/console/screen/terminal-device.ts';
import { eventually } from '../../../helpers/eventually.ts';

function read(...chunks: readonly (string | Uint8Array)[]): KeyPress[] {
  const keys: KeyPress[] = [];
  const reader = new KeyReader({ onKey: (key) => keys.push(key) });
  for (const chunk of chunks) reader.read(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  reader.close();
  return keys;
}

const names = (...chunks: readonly (string | Uint8Array)[]): string[] =>
  read(...chunks).map(({ name, text }) => (name === 'text' ? text : name));

test.each([
  ['ab', ['a', 'b']],
  ['\r', ['enter']],
  ['\x03\x04', ['ctrl-c', 'ctrl-d']],
  ['\x1b[A\x1bOB\x1b[1;5C', ['up', 'down', 'ctrl-right']],
  ['\x1b[3~\x1b[5~\x1b[15~', ['delete', 'page-up', 'f5']],
  ['\x1bb\x1b\x7f', ['alt-b', 'alt-backspace']],
  ['\x1b[97;5u\x1b[27u\x1b[13;2u', ['ctrl-a', 'escape', 'alt-enter']],
  ['\x1b[97;5:3u', ['release']],
  ['\x1b[97;;97u\x1b[97;2;65u\x1b[57441u', ['a', 'A', 'key-57441']],
  ['\x1b[27;5;13~', ['ctrl-enter']],
  ['\b\n', ['backspace', 'enter']],
  ['\x1b[1;3A', ['alt-up']],
  ['\x1b[?62;22c\x1b]11;rgb:0000/0000/0000\x1b\\x', ['x']],
  ['\x1d', ['ctrl-]']],
  ['é漢👩‍💻', ['é', '漢', '👩‍💻']],
])('%j is %j', (input, expected) => {
  expect(names(input)).toEqual(expected);
});

test('a sequence, a character and a paste may be cut anywhere', () => {
  const bytes = Buffer.from('\x1b[1;5Aé\x1b[200~two\nlines\x1b[201~z');
  for (let at = 1; at < bytes.length; at++)
    expect(names(bytes.subarray(0, at), bytes.subarray(at))).toEqual(['ctrl-up', 'é', 'paste', 'z']);
});

test('what is pasted comes whole, as one', () => {
  expect(read('\x1b[200~a\x1b[A\nb\x1b[201~')).toMatchObject([{ name: 'paste', text: 'a\x1b[A\nb' }]);
});

test('a lone escape is the key, once nothing follows', async () => {
  const keys: string[] = [];
  const reader = new KeyReader({ onKey: ({ name }) => keys.push(name) });
  reader.read(Buffer.from('\x1b'));
  expect(keys).toEqual([]);
  await eventually(() => expect(keys).toEqual(['escape']));
  reader.read(Buffer.from('\x1b'));
  reader.read(Buffer.from('[A'));
  expect(keys).toEqual(['escape', 'up']);
  reader.close();
});

test('text that comes by the page is one key', () => {
  expect(read('x'.repeat(1000))).toHaveLength(1);
});

test('what the terminal says of itself is told, and is no key', () => {
  const answers: string[] = [];
  const keys: string[] = [];
  const reader = new KeyReader({
    onKey: ({ text }) => keys.push(text),
    onReply: (answer) => answers.push(answer),
  });
  reader.read(Buffer.from('a\x1b[?1u\x1b]11;rgb:ffff/ffff/ffff\x1b\\b'));
  reader.close();
  expect(keys).toEqual(['a', 'b']);
  expect(answers.map(parseTerminalReply)).toEqual([
    { kind: 'keyboard' },
    { kind: 'background', isLight: true },
  ]);
});
