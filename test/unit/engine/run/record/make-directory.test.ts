import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makePrivateDirectory } from '../../../../../src/engine/process/state-files.ts';
import { temporaryDirectory } from '../../../../helpers/temporary-directory.ts';

test('makes what is missing, for the user alone, and what is there stays', () => {
  const path = join(temporaryDirectory(), 'a/b/c');
  makePrivateDirectory(path);
  makePrivateDirectory(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

test('says so at once where no directory can be made', () => {
  expect(() => makePrivateDirectory('/proc/nacre/runs')).toThrow(/ENOENT|EACCES|EPERM/);
  const file = join(temporaryDirectory(), 'file');
  writeFileSync(file, '');
  expect(() => makePrivateDirectory(join(file, 'below'))).toThrow(/ENOTDIR/);
  expect(existsSync('/proc/nacre')).toBe(false);
});
