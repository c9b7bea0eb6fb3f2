import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Screen } from '../../../../src/index.ts';
import { FrameRenderer } from '../../../../src/surfaces/console/screen/frame-renderer.ts';
import {
  chooseTheme,
  rowWidth,
  type StyledRow,
  span,
} from '../../../../src/surfaces/console/screen/styled-row.ts';
import { ENTER_SEQUENCE } from '../../../../src/surfaces/console/screen/terminal-device.ts';
import type { CallCard } from '../../../../src/surfaces/console/views/call-card.ts';
import { renderCard } from '../../../../src/surfaces/console/views/call-card.ts';
import { clipText, displayWidth, wrapText } from '../../../../src/surfaces/rendering/text-width.ts';

const CARD: CallCard = {
  ...{ kind: 'call', by: 'tool', isPrivate: false, command: 'npm test', startedAt: 0, endedAt: 1_500 },
  ...{ state: 'ended', output: '', result: null, problem: null, isExpanded: false, canStop: true },
  ending: { status: 'exited', exitCode: 0, signal: null },
};

const textOf = (rows: readonly StyledRow[]): string[] =>
  rows.map((row) => row.map(({ text }) => text).join(''));
const lines = (count: number): string =>
  Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join('');
const view = { columns: 40, now: 0, isChosen: false };

test.each([
  ['abc', 3],
  ['漢字', 4],
  ['é', 1],
  ['e\u0301', 1],
  ['👩‍💻', 2],
  ['✓', 1],
])('%s takes %i columns', (text, width) => {
  expect(displayWidth(text)).toBe(width);
});

test('nothing that is wrapped or clipped is wider than the screen, and wrapping loses nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 30 }), (text, columns) => {
      const line = text.replace(/[\x00-\x1f\x7f]/g, '');
      expect(wrapText(line, columns).join('')).toBe(line);
      expect(Math.max(...wrapText(line, columns).map(displayWidth))).toBeLessThanOrEqual(columns);
      expect(displayWidth(clipText(line, columns))).toBeLessThanOrEqual(columns);
    }),
  );
});

test('a folded call shows its last ten rows and says how many are above; a person sees twenty lines', () => {
  const folded = textOf(renderCard({ ...CARD, output: lines(30) }, view));
  expect(folded[0]).toContain('✓ npm test');
  expect(folded[1]).toContain('20 lines above');
  expect(folded.filter((row) => /line \d/.test(row))).toHaveLength(10);
  expect(folded).toContain('   exit 0 · 1.5 s');
  const person = textOf(renderCard({ ...CARD, by: 'person', output: lines(30) }, view));
  expect(person.filter((row) => /line \d/.test(row))).toHaveLength(20);
  const open = textOf(renderCard({ ...CARD, isExpanded: true, output: lines(30) }, view));
  expect(open.filter((row) => /line \d/.test(row))).toHaveLength(30);
});

test('rows are those of the screen: a long line counts as many, and longer than 4000 characters it is cut', () => {
  const long = textOf(renderCard({ ...CARD, output: '#'.repeat(5_000) }, view));
  expect(long.filter((row) => row.includes('#'))).toHaveLength(10);
  const whole = textOf(renderCard({ ...CARD, isExpanded: true, output: '#'.repeat(5_000) }, view));
  expect(whole.join('').replace(/[^#]/g, '')).toHaveLength(4_000);
});

test.each([
  [{ state: 'cancelled' as const, ending: null }, 'cancelled'],
  [{ ending: { status: 'exited' as const, exitCode: 3, signal: null } }, 'exit 3'],
  [{ ending: { status: 'signaled' as const, exitCode: null, signal: 'SIGKILL' } }, 'killed by SIGKILL'],
  [{ ending: { status: 'timed_out' as const, exitCode: null, signal: null } }, 'time limit'],
  [{ state: 'failed' as const, problem: 'no such directory' }, 'no such directory'],
])('%j is told as %s', (change, words) => {
  expect(textOf(renderCard({ ...CARD, ...change }, view)).join('\n')).toContain(words);
});

test('what a command printed cannot steer the terminal', () => {
  const rows = renderCard({ ...CARD, command: 'x\x1b[2J', output: 'a\x1b]0;title\x07b\x9b31mc\ttab' }, view);
  expect(textOf(rows).join('\n')).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
});

test('a second picture writes only what is different', () => {
  const frame = new FrameRenderer(chooseTheme({ NO_COLOR: '1' }));
  const size = { columns: 20, rows: 3 };
  frame.draw({ rows: [[span('one')], [span('two')], []], cursor: null }, size);
  const next = frame.draw({ rows: [[span('one')], [span('2')], []], cursor: null }, size);
  expect(next).toContain('\x1b[2;1H\x1b[K2');
  expect(next).not.toContain('one');
  expect(frame.draw({ rows: [[span('one')]], cursor: null }, { columns: 21, rows: 3 })).toContain('one');
});

test('whatever the rows are, the terminal shows them, clipped', async () => {
  const frame = new FrameRenderer(chooseTheme({}));
  const size = { columns: 12, rows: 4 };
  const screen = new Screen(size);
  const rows: StyledRow[] = [
    [span('abc', 'bad'), span('漢字漢字漢字漢', 'dim')],
    [],
    [span('status', 'status')],
    [span('end')],
  ];
  await screen.write(frame.draw({ rows, cursor: { row: 3, column: 2 } }, size));
  expect(screen.rows()).toEqual(['abc漢字漢字…', '', 'status      ', 'end']);
  expect(screen.cursor).toEqual({ row: 3, column: 2 });
  expect(rowWidth(rows[0] ?? [])).toBe(17);
  screen.close();
});

test('a row that is as wide as the screen keeps its last character', async () => {
  const screen = new Screen({ columns: 6, rows: 2 });
  await screen.write(ENTER_SEQUENCE);
  const frame = new FrameRenderer(chooseTheme({}));
  await screen.write(
    frame.draw({ rows: [[span('abcdef', 'bad')], [span('漢字漢')]], cursor: null }, screen.size),
  );
  expect(screen.rows()).toEqual(['abcdef', '漢字漢']);
  await screen.write(frame.draw({ rows: [[span('ab')], []], cursor: null }, screen.size));
  expect(screen.rows()).toEqual(['ab']);
  screen.close();
});

test('colours are left out where the person wants none, and suit a light terminal', () => {
  expect(Object.values(chooseTheme({ NO_COLOR: '1' })).join('')).not.toMatch(/38;5|48;5/);
  expect(chooseTheme({ COLORFGBG: '0;15' })).toEqual(chooseTheme({ NACRE_THEME: 'light' }));
  expect(chooseTheme({ COLORFGBG: '15;0' })).toEqual(chooseTheme({ NACRE_THEME: 'dark' }));
  expect(chooseTheme({ NO_COLOR: '' })).toEqual(chooseTheme({}));
});
