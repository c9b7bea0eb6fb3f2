import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { inspectMachine } from '../../../../src/engine/hosts/inspect-machine.ts';
import { findWarmShellObstacle } from '../../../../src/engine/shell/find-program.ts';

const root = mkdtempSync(join(tmpdir(), 'nacre-machine-'));
afterAll(() => rmSync(root, { recursive: true }));

const inspect = (request: object = {}) =>
  inspectMachine({
    configured: null,
    searchPath: process.env.PATH ?? '',
    stateDirectory: join(root, 'state'),
    ...request,
  });

describe('what a machine gives', () => {
  test('the bash that runs commands is named with its version', () => {
    expect(inspect().bash).toMatchObject({
      path: expect.stringMatching(/bash$/),
      version: { major: expect.any(Number) },
    });
  });

  test('a bash that cannot be used is a finding, not a failure', () => {
    const { bash } = inspect({ configured: { path: '/nowhere/bash', source: 'shellPath in x' } });
    expect(bash).toEqual({
      problem: 'The shell /nowhere/bash cannot be used: it does not exist. It is set by shellPath in x.',
    });
  });

  test('shells are kept ready where each can have a session of its own', () => {
    expect(inspect().readyShells).toBe(findWarmShellObstacle());
    expect(findWarmShellObstacle('linux', '/usr/bin/setsid')).toBeNull();
    expect(findWarmShellObstacle('linux', null)).toContain('setsid(1)');
    expect(findWarmShellObstacle('darwin', '/usr/bin/setsid')).toContain('only Linux');
  });

  test('the state directory is made for the user alone, and its free space is known', () => {
    const { stateDirectory } = inspect();
    expect(stateDirectory).toEqual({
      path: join(root, 'state'),
      problem: null,
      freeBytes: expect.any(Number),
    });
    expect(statSync(stateDirectory.path).mode & 0o777).toBe(0o700);
  });

  test('a state directory that cannot be used says why', () => {
    writeFileSync(join(root, 'file'), '');
    expect(inspect({ stateDirectory: join(root, 'file/state') }).stateDirectory.problem).toContain('ENOTDIR');
  });

  test.runIf(process.platform === 'linux')('on Linux ending a run reaches further than its group', () => {
    expect(inspect().treeReach).toBe('marker');
  });
});
