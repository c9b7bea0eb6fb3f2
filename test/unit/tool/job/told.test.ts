import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  isEndAcknowledged,
  markEndAcknowledged,
  NotificationOwnership,
} from '../../../../src/tool/jobs/job-end-notifier.ts';
import { temporaryDirectory } from '../../../helpers/temporary-directory.ts';

test('one instance at a time reports the end of a run', () => {
  const directory = temporaryDirectory();
  const [first, second] = [new NotificationOwnership('first'), new NotificationOwnership('second')];
  expect(first.claim(directory)).toBe(true);
  expect(first.claim(directory)).toBe(true);
  expect(second.claim(directory)).toBe(false);
  second.release(directory);
  expect(second.claim(directory)).toBe(false);
  first.release(directory);
  expect(second.claim(directory)).toBe(true);
  expect(first.claim(directory)).toBe(false);
});

test.each([
  ['a process that is gone', (own: string) => own.replace(/ \d+ /, ` ${gonePid()} `)],
  ['a process that has its number now', (own: string) => own.replace(/^(\S+ \d+) \d+/, '$1 1')],
  ['another boot of the machine', (own: string) => own.replace(/\S+$/, 'another')],
  ['nobody who can be read', () => ''],
])('what %s held is taken over', (_, change) => {
  const directory = temporaryDirectory();
  const file = join(directory, 'teller.1');
  new NotificationOwnership('before').claim(directory);
  writeFileSync(file, change(readFileSync(file, 'utf8')));
  const heir = new NotificationOwnership('heir');
  expect(heir.claim(directory)).toBe(true);
  expect(readFileSync(join(directory, 'teller.2'), 'utf8')).toMatch(/^heir /);
  expect(readdirSync(directory)).toEqual(['teller.2']);
  expect(new NotificationOwnership('late').claim(directory)).toBe(false);
});

test('the instance in the run record owns the report until it exits or releases it', () => {
  const [mine, other] = [temporaryDirectory(), temporaryDirectory()];
  const [starter, heir] = [new NotificationOwnership('starter'), new NotificationOwnership('heir')];
  expect(heir.claim(mine, starter.ownerMark)).toBe(false);
  expect(starter.claim(mine, starter.ownerMark)).toBe(true);
  starter.releaseOwn(mine);
  expect(heir.claim(mine, starter.ownerMark)).toBe(true);
  expect(starter.claim(mine, starter.ownerMark)).toBe(false);
  heir.release(mine);
  expect(starter.claim(mine, starter.ownerMark)).toBe(true);
  expect(heir.claim(other, starter.ownerMark.replace(/ \d+ /, ` ${gonePid()} `))).toBe(true);
  expect(heir.claim(temporaryDirectory(), null)).toBe(true);
});

test('an acknowledged end stays acknowledged, and a deleted directory causes no error', () => {
  const directory = temporaryDirectory();
  expect(isEndAcknowledged(directory)).toBe(false);
  markEndAcknowledged(directory);
  expect(isEndAcknowledged(directory)).toBe(true);
  const gone = join(directory, 'gone');
  markEndAcknowledged(gone);
  expect(isEndAcknowledged(gone)).toBe(false);
  new NotificationOwnership('x').release(gone);
});

/** The number of a process that has just ended. */
function gonePid(): number {
  return spawnSync('true').pid;
}
