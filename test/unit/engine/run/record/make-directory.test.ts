import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeDirectory } from '../../../../../src/engine/run/record/make-directory.ts';
import { temporaryDirectory } from '../../../../helpers/temporary-directory.ts';

test('makes what is missing, for the user alone, and what is there stays', () => {
  const path = join(temporaryDirectory(), 'a/b/c');
  makeDirectory(path);
  makeDirectory(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

test('says so at once where no directory can be made', () => {
  expect(() => makeDirectory('/proc/nacre/runs')).toThrow(/ENOENT|EACCES|EPERM/);
  const file = join(temporaryDirectory(), 'file');
  writeFileSync(file, '');
  expect(() => makeDirectory(join(file, 'below'))).toThrow(/ENOTDIR/);
  expect(existsSync('/proc/nacre')).toBe(false);
});
