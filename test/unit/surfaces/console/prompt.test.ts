import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { completeDraft, toDraft } from '../../../../src/surfaces/console/prompt/line-editor.ts';
import { InputHistory, Prompt } from '../../../../src/surfaces/console/prompt/prompt.ts';
import { parsePartialCall } from '../../../../src/surfaces/console/prompt/render-prompt.ts';
import { temporaryDirectory } from '../../../helpers/temporary-directory.ts';

const PLACE = { cwd: '/', home: '/', searchPath: '/bin', orders: ['/help', '/jobs'] };

function open(lines: readonly string[] = []): { prompt: Prompt; type: (...keys: string[]) => string } {
  const history = new InputHistory(null);
  for (const line of lines) history.add(line);
  const prompt = new Prompt({ history, completionSources: () => PLACE });
  const type = (...keys: string[]): string => {
    for (const name of keys) {
      const isText = !/^(ctrl|alt)-|^(enter|up|down|left|right|home|end|backspace|delete|tab|escape)$/.test(
        name,
      );
      prompt.onKey({ name: isText ? 'text' : name, text: isText ? name : '', raw: '' });
    }
    return prompt.draft.text;
  };
  return { prompt, type };
}

test('editing does what fingers expect', () => {
  const { prompt, type } = open();
  expect(type('git comit -m x', 'alt-b', 'alt-b', 'left', 'left')).toBe('git comit -m x');
  expect(type('ctrl-a', 'alt-f', 'right', 'right', 'right', 'right', 'm')).toBe('git commit -m x');
  expect(type('ctrl-e', 'ctrl-w', 'backspace')).toBe('git commit -m');
  expect(type('ctrl-u')).toBe('');
  expect(type('日本語', 'left', 'backspace')).toBe('日語');
  expect(prompt.draft.cursor).toBe(1);
});

test('the history is walked, and what was being written is there again', () => {
  const { type } = open(['one', 'two']);
  expect(type('draft', 'up')).toBe('two');
  expect(type('up', 'up')).toBe('one');
  expect(type('down', 'down')).toBe('draft');
});

test('ctrl-r finds the newest that has it, then older ones', () => {
  const { prompt, type } = open(['npm test', 'git push', 'npm run build']);
  expect(type('ctrl-r', 'n', 'p', 'm')).toBe('npm run build');
  expect(type('ctrl-r')).toBe('npm test');
  expect(type('enter')).toBe('npm test');
  expect(prompt.query).toBeNull();
});

test('a submitted line is given back once; a backslash at its end asks for more', () => {
  const { prompt } = open();
  const key = (name: string, text = '') => prompt.onKey({ name, text, raw: '' });
  key('text', 'a \\');
  expect(key('enter')).toEqual({ kind: 'changed' });
  key('text', 'b');
  expect(key('enter')).toEqual({ kind: 'submit', line: 'a \\\nb' });
  expect(prompt.draft.text).toBe('');
});

test('pasted control characters do not reach the line', () => {
  const { prompt } = open();
  prompt.onKey({ name: 'paste', text: 'a\x1b[31mb\r\nc\x00', raw: '' });
  expect(prompt.draft.text).toBe('a[31mb\nc');
});

test('the history is kept from one time to the next, for its owner alone', () => {
  const path = join(temporaryDirectory(), 'deep', 'history');
  const first = new InputHistory(path);
  first.add('one');
  first.add('two\nlines');
  first.add('two\nlines');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  writeFileSync(path, `${readFileSync(path, 'utf8')}not json\n`);
  const again = new InputHistory(path);
  expect([again.length, again.at(0), again.at(1)]).toEqual([2, 'one', 'two\nlines']);
});

test('orders, programs and paths are completed', () => {
  const root = temporaryDirectory();
  mkdirSync(join(root, 'source'));
  writeFileSync(join(root, 'some file.txt'), '');
  const place = { ...PLACE, cwd: root };
  const text = (line: string): string => completeDraft(toDraft(line), place).draft.text;
  expect(text('/he')).toBe('/help ');
  expect(text('cat so')).toBe('cat so');
  expect(completeDraft(toDraft('cat so'), place).choices).toEqual(['some\\ file.txt', 'source/']);
  expect(text('cat sou')).toBe('cat source/');
  expect(text('cat som')).toBe('cat some\\ file.txt ');
  expect(text('ls; mkdi')).toBe('ls; mkdir ');
  expect(text('cat nothing-like-it')).toBe('cat nothing-like-it');
});

test.each([
  ['{"com', null],
  ['{"command": "npm te', { command: 'npm te', env: [], cwd: null }],
  ['{"env": {"A": "1", "B": "tw', null],
  [
    '{"env": {"A": "1", "B": "tw"}, "command": "x \\"y\\" \\u00e',
    { command: 'x "y" ', env: ['A=1', 'B=tw'], cwd: null },
  ],
  ['{"command":"a\\nb","cwd":"/tmp"}', { command: 'a\nb', env: [], cwd: '/tmp' }],
])('%j so far is %j', (json, expected) => {
  expect(parsePartialCall(json)).toEqual(expected);
});
