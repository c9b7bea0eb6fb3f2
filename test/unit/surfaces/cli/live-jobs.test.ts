import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { displayWidth } from '../../../../src/engine/text/display-width.ts';
import {
  fitToWidth,
  padToWidth,
  renderLiveScreen,
} from '../../../../src/surfaces/cli/live-jobs/live-screen.ts';
import {
  EMPTY_STATE,
  handleKey,
  type LiveState,
  parseLiveKeys,
  updateRows,
  visibleRows,
} from '../../../../src/surfaces/cli/live-jobs/live-state.ts';
import type { JobRow } from '../../../../src/surfaces/rendering/job-table.ts';

const row = (id: string, more: Partial<JobRow> = {}): JobRow => ({
  ...{
    id,
    name: `name of ${id}`,
    state: 'running',
    age: '5s',
    cpu: '3%',
    memory: '1.0MiB',
    ports: '',
    lastLine: '',
    command: `command of ${id}`,
    detail: `${id} · pid 7`,
  },
  ...more,
});
const ROWS = [
  row('a', { ports: '5173', lastLine: 'ready in 300 ms' }),
  row('b'),
  row('c', { state: 'failed 3' }),
];
const table = updateRows(EMPTY_STATE, ROWS);
const type = (state: LiveState, text: string): LiveState =>
  parseLiveKeys(text).reduce((before, key) => handleKey(before, key).state, state);
const screen = (state: LiveState, more: object = {}) =>
  renderLiveScreen(state, { columns: 80, rows: 24, colour: false, output: '', ...more });

describe('keys', () => {
  test('are cut apart however they come, and what means nothing is left out', () => {
    expect(parseLiveKeys('q\x1b[A\x1b[Bé\r\x7f\x1b[12;5~\x1b')).toEqual([
      ...['q', 'up', 'down', 'é', 'enter', 'backspace', 'escape'],
    ]);
    expect(parseLiveKeys('\x01\x1bOA')).toEqual(['up']);
  });

  test('the first job is selected; arrows move within what is there', () => {
    expect(table.selected).toBe('a');
    expect(type(table, '\x1b[B').selected).toBe('b');
    expect(type(table, '\x1b[B\x1b[B\x1b[B\x1b[B').selected).toBe('c');
    expect(type(table, '\x1b[A').selected).toBe('a');
  });

  test('the selected job stays selected when others come and go', () => {
    const state = type(table, '\x1b[B');
    expect(updateRows(state, [row('new'), ...ROWS]).selected).toBe('b');
    expect(updateRows(state, [row('new')]).selected).toBe('new');
    expect(updateRows(state, []).selected).toBeNull();
  });

  test('a stop needs a yes', () => {
    expect(handleKey(type(table, 'k'), 'n')).toMatchObject({
      effect: { kind: 'none' },
      state: { mode: 'table', message: 'Not stopped.' },
    });
    expect(handleKey(type(table, 'k'), 'y').effect).toEqual({ kind: 'stop', id: 'a' });
    expect(handleKey(EMPTY_STATE, 'k').state.mode).toBe('table');
  });

  test('a search shows what contains the text, and escape shows all again', () => {
    const found = type(table, '/READY\r');
    expect(visibleRows(found).map(({ id }) => id)).toEqual(['a']);
    expect(visibleRows(type(table, '/failedx\x7f'))).toHaveLength(1);
    expect(type(table, '/failed').selected).toBe('c');
    expect(visibleRows(type(found, '\x1b'))).toHaveLength(3);
    expect(type(table, '/q').mode).toBe('search');
  });

  test('q quits, from the output it goes back first, and ctrl-c quits everywhere', () => {
    expect(handleKey(table, 'q').effect).toEqual({ kind: 'quit', status: 0 });
    const followed = type(table, 'f');
    expect(followed.mode).toBe('follow');
    expect(handleKey(followed, 'q')).toMatchObject({ effect: { kind: 'none' }, state: { mode: 'table' } });
    expect(handleKey(type(table, '/x'), 'ctrl-c').effect).toEqual({ kind: 'quit', status: 130 });
  });
});

describe('the screen', () => {
  test('is a table with the selected job marked and told more of, and the keys below', () => {
    expect(screen(table, { rows: 14, columns: 70 })).toEqual(
      [
        'nacre jobs   2 running   1 failed',
        '  NAME       STATE       AGE  CPU  MEMORY  PORTS  LAST LINE',
        '> name of a  ● running    5s   3%  1.0MiB  5173   ready in 300 ms',
        '  name of b  ● running    5s   3%  1.0MiB',
        '  name of c  ✗ failed 3   5s   3%  1.0MiB',
        ...['', '', '', '', ''],
        '─'.repeat(70),
        'command of a',
        'a · pid 7',
        '↑↓ select   f follow   k stop   / search   q quit',
      ].map((line, at) => (at === 2 ? line.padEnd(70) : line)),
    );
  });

  test('says which of them it shows where not all fit', () => {
    const many = updateRows(
      EMPTY_STATE,
      Array.from({ length: 30 }, (_, at) => row(`${at}`)),
    );
    expect(screen(many, { rows: 24, columns: 50 })[0]).toBe(
      `nacre jobs   30 running${'1–18 of 30'.padStart(50 - 23)}`,
    );
    expect(screen(type(many, '\x1b[6~\x1b[6~\x1b[6~'))[0]).toMatch(/13–30 of 30$/);
    expect(screen(table)[0]).toBe('nacre jobs   2 running   1 failed');
  });

  test('shows what the selected one printed last where there is room for it', () => {
    const lines = screen(table, { rows: 18, output: 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n' });
    expect(lines).toHaveLength(18);
    expect(lines.slice(5, 9)).toEqual(['', '─'.repeat(80), 'command of a', 'a · pid 7']);
    expect(lines.slice(9, 17)).toEqual(['', 'two', 'three', 'four', 'five', 'six', 'seven', '']);
    expect(screen(table, { rows: 12, output: 'one\n' }).join('\n')).not.toContain('one');
  });

  test('a cell after a text that terminals do not agree on stands where it belongs', () => {
    const wide = updateRows(EMPTY_STATE, [row('plain'), row('wide', { name: '👩‍👩‍👧 ⚠️' })]);
    const [, , plain = '', line = ''] = screen(wide);
    expect(plain).not.toContain('\x1b');
    expect(line).toMatch(/^ {2}👩‍👩‍👧 ⚠️ +\x1b\[18G● running/u);
    expect(plain.indexOf('● running')).toBe(17);
  });

  test('a column in which no job says anything is not there', () => {
    const over = updateRows(EMPTY_STATE, [
      row('a', { state: 'completed', cpu: '', memory: '', lastLine: 'done' }),
    ]);
    expect(screen(over)[1]).toBe('  NAME       STATE        AGE  LAST LINE');
  });

  test('says what to do where there is nothing to see', () => {
    expect(screen(EMPTY_STATE).join('\n')).toContain('No jobs. nacre run --async <command> starts one.');
    expect(screen(type(table, '/nowhere')).join('\n')).toContain('No job contains nowhere.');
  });

  test('colours the states, unless somebody wants none', () => {
    const line = screen(table, { colour: true })[4] ?? '';
    expect(line).toContain('\x1b[31m✗ failed 3');
    expect(screen(table).join('')).not.toContain('\x1b');
  });

  test('wide characters take two cells, accents none', () => {
    expect(displayWidth('日本e\u0301')).toBe(5);
    expect(fitToWidth('日本語です', 5)).toBe('日本…');
    expect(padToWidth('日本', 6)).toBe('日本  ');
    expect(padToWidth('12', 4, 'right')).toBe('  12');
  });

  test('shows the output of the job that is followed', () => {
    const lines = screen(type(table, 'f'), { rows: 6, columns: 30, output: 'one\ntwo\nthree\nfour\n' });
    expect(lines).toEqual([
      'name of a   running   5s   a',
      '─'.repeat(30),
      'two',
      'three',
      'four',
      'f back   k stop',
    ]);
  });

  test('whatever is in the rows and however small it is, it fits, and the selected job is on it', () => {
    const cell = fc.string({ maxLength: 200 }).map((text) => text.replace(/[\n\r]/g, ' '));
    const rows = fc.uniqueArray(fc.record({ name: cell, state: cell, lastLine: cell, ports: cell }), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(
        rows,
        fc.integer({ min: 10, max: 200 }),
        fc.integer({ min: 6, max: 50 }),
        fc.nat(60),
        (each, columns, height, down) => {
          const made = each.map((cells, at) => row(`${at}`, cells));
          const state = type(updateRows(EMPTY_STATE, made), '\x1b[B'.repeat(down));
          const lines = screen(state, { columns, rows: height });
          expect(lines.length).toBeLessThanOrEqual(height);
          for (const line of lines)
            expect(displayWidth(line.replace(/\x1b\[\d+G/g, ''))).toBeLessThanOrEqual(columns);
          if (made.length > 0) expect(lines.filter((line) => line.startsWith('> '))).toHaveLength(1);
        },
      ),
    );
  });
});
