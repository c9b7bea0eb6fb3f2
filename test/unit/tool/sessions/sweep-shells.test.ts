import { existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { sweepSessionShells } from '../../../../src/tool/sessions/sessions.ts';
import { removeDirectory } from '../../../helpers/remove-directory.ts';

const state = mkdtempSync(join(tmpdir(), 'nacre-sweep-'));
afterAll(() => removeDirectory(state));

test('old shells of sessions without a name go, all others stay', () => {
  const made = join(state, 'sessions/s-01234567-89ab-cdef-0123-456789abcdef');
  const named = join(state, 'sessions/build');
  for (const session of [made, named]) mkdirSync(join(session, 'shell/default'), { recursive: true });
  mkdirSync(join(made, 'local'));
  sweepSessionShells(state, 60_000);
  expect(existsSync(join(made, 'shell'))).toBe(true);
  sweepSessionShells(state, 60_000, Date.now() + 61_000);
  expect(existsSync(join(made, 'shell'))).toBe(false);
  expect(existsSync(join(made, 'local'))).toBe(true);
  expect(existsSync(join(named, 'shell'))).toBe(true);
});
