import { expect, onTestFinished, test } from 'vitest';
import { Screen } from '../../../../src/engine/terminal/screen.ts';

function open(): { readonly screen: Screen; readonly answers: string[] } {
  const answers: string[] = [];
  const screen = new Screen({ columns: 20, rows: 4, onAnswer: (bytes) => answers.push(bytes) });
  onTestFinished(() => screen.close());
  return { screen, answers };
}

test('flags of the Kitty protocol are pushed, set, asked for and popped', async () => {
  const { screen, answers } = open();
  const flags = async (bytes: string): Promise<number> => {
    await screen.write(bytes);
    return screen.modes.kitty;
  };
  expect(await flags('\x1b[?u')).toBe(0);
  expect(await flags('\x1b[>1u')).toBe(1);
  expect(await flags('\x1b[>11u\x1b[?u')).toBe(11);
  expect(await flags('\x1b[=4;2u')).toBe(15);
  expect(await flags('\x1b[=3;3u')).toBe(12);
  expect(await flags('\x1b[=5u')).toBe(5);
  expect(await flags('\x1b[<u')).toBe(1);
  expect(await flags('\x1b[<9u')).toBe(0);
  expect(await flags('\x1b[>7777777u')).toBe(7_777_777 & 31);
  expect(await flags('\x1bc\x1b[?u')).toBe(0);
  expect(answers).toEqual(['\x1b[?0u', '\x1b[?11u', '\x1b[?0u']);
});

test('an editor leaves the flags of the shell alone: each screen has its own', async () => {
  const { screen } = open();
  await screen.write('\x1b[>1u\x1b[?1049h\x1b[>31u');
  expect(screen.modes.kitty).toBe(31);
  await screen.write('\x1b[?1049l');
  expect(screen.modes.kitty).toBe(1);
});

test('a program that pushes and never pops does no harm', async () => {
  const { screen } = open();
  await screen.write('\x1b[>1u'.repeat(10_000));
  expect(screen.modes.kitty).toBe(1);
  await screen.write('\x1b[<10000u');
  expect(screen.modes.kitty).toBe(0);
});

test('the way of xterm is set, asked for and taken back', async () => {
  const { screen, answers } = open();
  await screen.write('\x1b[>4;2m\x1b[?4m');
  expect(screen.modes.modifyOtherKeys).toBe(2);
  await screen.write('\x1b[>4m');
  expect(screen.modes.modifyOtherKeys).toBe(0);
  await screen.write('\x1b[>4;1m\x1b[>4n\x1b[?4m');
  expect(answers).toEqual(['\x1b[>4;2m', '\x1b[>4;0m']);
});

test('a cursor that was hidden is known to be', async () => {
  const { screen } = open();
  expect(screen.isCursorShown).toBe(true);
  await screen.write('\x1b[?1;25l');
  expect(screen.isCursorShown).toBe(false);
  await screen.write('\x1b[?25h');
  expect(screen.isCursorShown).toBe(true);
});

test.each([
  ['👍', 2],
  ['漢', 2],
  ['e\u0301', 1],
  ['한', 2],
  ['é', 1],
  ['✓', 1],
  ['a\u200bb', 2],
])('%s moves the cursor by %i', async (text, columns) => {
  const { screen } = open();
  await screen.write(text);
  expect(screen.cursor.column).toBe(columns);
  expect(screen.rows()).toEqual([text]);
});

test('what a program asks of its terminal is answered', async () => {
  const { screen, answers } = open();
  await screen.write('ab\x1b[6n\x1b[c\x1b[5n\x1b]10;?\x07\x1b]11;?\x1b\\');
  expect(answers[0]).toBe('\x1b[1;3R');
  expect(answers[1]).toMatch(/^\x1b\[\?[\d;]+c$/);
  expect(answers.slice(2)).toEqual([
    '\x1b[0n',
    '\x1b]10;rgb:cccc/cccc/cccc\x1b\\',
    '\x1b]11;rgb:0000/0000/0000\x1b\\',
  ]);
  const light: string[] = [];
  const other = new Screen({ columns: 9, rows: 2, isLight: true, onAnswer: (bytes) => light.push(bytes) });
  await other.write('\x1b]11;?\x07');
  other.close();
  expect(light).toEqual(['\x1b]11;rgb:ffff/ffff/ffff\x1b\\']);
});
