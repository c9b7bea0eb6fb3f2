import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isTold, Lease, markTold } from '../../../../src/tool/job/telling/told.ts';
import { temporaryDirectory } from '../../../helpers/temporary-directory.ts';

test('one instance at a time tells the end of a run', () => {
  const directory = temporaryDirectory();
  const [first, second] = [new Lease('first'), new Lease('second')];
  expect(first.take(directory)).toBe(true);
  expect(first.take(directory)).toBe(true);
  expect(second.take(directory)).toBe(false);
  second.give(directory);
  expect(second.take(directory)).toBe(false);
  first.give(directory);
  expect(second.take(directory)).toBe(true);
  expect(first.take(directory)).toBe(false);
});

test.each([
  ['a process that is gone', (own: string) => own.replace(/ \d+ /, ` ${gonePid()} `)],
  ['a process that has its number now', (own: string) => own.replace(/^(\S+ \d+) \d+/, '$1 1')],
  ['another boot of the machine', (own: string) => own.replace(/\S+$/, 'another')],
  ['nobody who can be read', () => ''],
])('what %s held is taken over', (_, change) => {
  const directory = temporaryDirectory();
  const file = join(directory, 'teller.1');
  new Lease('before').take(directory);
  writeFileSync(file, change(readFileSync(file, 'utf8')));
  const heir = new Lease('heir');
  expect(heir.take(directory)).toBe(true);
  expect(readFileSync(join(directory, 'teller.2'), 'utf8')).toMatch(/^heir /);
  expect(readdirSync(directory)).toEqual(['teller.2']);
  expect(new Lease('late').take(directory)).toBe(false);
});

test('the record of a run names who tells its end, until that one is gone or leaves it to others', () => {
  const [mine, other] = [temporaryDirectory(), temporaryDirectory()];
  const [starter, heir] = [new Lease('starter'), new Lease('heir')];
  expect(heir.take(mine, starter.mark)).toBe(false);
  expect(starter.take(mine, starter.mark)).toBe(true);
  starter.leave(mine);
  expect(heir.take(mine, starter.mark)).toBe(true);
  expect(starter.take(mine, starter.mark)).toBe(false);
  heir.give(mine);
  expect(starter.take(mine, starter.mark)).toBe(true);
  expect(heir.take(other, starter.mark.replace(/ \d+ /, ` ${gonePid()} `))).toBe(true);
  expect(heir.take(temporaryDirectory(), null)).toBe(true);
});

test('what is told stays told, and a directory that is gone is no harm', () => {
  const directory = temporaryDirectory();
  expect(isTold(directory)).toBe(false);
  markTold(directory);
  expect(isTold(directory)).toBe(true);
  const gone = join(directory, 'gone');
  markTold(gone);
  expect(isTold(gone)).toBe(false);
  new Lease('x').give(gone);
});

/** The number of a process that has just ended. */
function gonePid(): number {
  return spawnSync('true').pid;
}
