import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkDirectory, resolveDirectory } from '../../../../src/tool/call/call-environment.ts';
import { differingPipeStatuses } from '../../../../src/tool/call/call-results.ts';
import { liftLeadingCd, liftTrailingLimit } from '../../../../src/tool/call/plan-call.ts';
import { toCallOutcome } from '../../../../src/tool/contract/result.ts';
import { toTimeLimit } from '../../../../src/tool/profiles/profile.ts';
import { temporaryDirectory } from '../../../helpers/temporary-directory.ts';

describe('time limits', () => {
  const limit = (requestedSeconds?: number, more = {}) =>
    toTimeLimit({ requestedSeconds, defaultMs: 300_000, maxMs: 3_600_000, ...more });

  test('seconds become milliseconds, and within the range nothing is said', () => {
    expect(limit(60)).toEqual({ ms: 60_000, isExplicit: true, requestedSeconds: null, notes: [] });
    expect(limit(2.5).ms).toBe(2_500);
    expect(limit()).toEqual({ ms: 300_000, isExplicit: false, requestedSeconds: null, notes: [] });
  });

  test.each([
    [99_999, 3_600_000, 'Timeout clamped to 3600s (requested 99999s; allowed range 1-3600s).'],
    [-5, 1_000, 'Timeout clamped to 1s (requested -5s; allowed range 1-3600s).'],
    [0.2, 1_000, 'Timeout clamped to 1s (requested 0.2s; allowed range 1-3600s).'],
    [Number.NaN, 300_000, 'Timeout clamped to 300s (requested NaNs; allowed range 1-3600s).'],
    [
      Number.POSITIVE_INFINITY,
      3_600_000,
      'Timeout clamped to 3600s (requested Infinitys; allowed range 1-3600s).',
    ],
  ])('%d is clamped, and both values are said', (requested, ms, note) => {
    expect(limit(requested)).toEqual({ ms, isExplicit: true, requestedSeconds: requested, notes: [note] });
  });

  test('zero means none', () => {
    expect(limit(0)).toEqual({ ms: null, isExplicit: true, requestedSeconds: null, notes: [] });
    expect(limit(-0).ms).toBeNull();
  });

  test('a ceiling holds for the default too, without a word: nobody asked for more', () => {
    expect(limit(undefined, { maxMs: 60_000 })).toMatchObject({ ms: 60_000, notes: [] });
    expect(limit(100, { maxMs: 60_000 }).notes).toEqual([
      'Timeout clamped to 60s (requested 100s; allowed range 1-60s).',
    ]);
  });
});

describe('directories', () => {
  const base = { cwd: '/code', home: '/home/ada' };

  test.each([
    [null, '/code'],
    ['sub', '/code/sub'],
    ['/', '/'],
    ['..', '/'],
    ['~', '/home/ada'],
    ['~/x', '/home/ada/x'],
    ['~bob/x', '/code/~bob/x'],
    ['./~', '/code/~'],
  ])('%s is %s', (written, path) => {
    expect(resolveDirectory(written, base)).toBe(path);
  });

  test('without HOME the system is asked', () => {
    expect(resolveDirectory('~', { cwd: '/', home: undefined })).toBe(homedir());
  });

  test('a directory must be there and be one', async () => {
    const root = temporaryDirectory();
    writeFileSync(join(root, 'file'), '');
    await expect(checkDirectory(root)).resolves.toBeUndefined();
    await expect(checkDirectory(join(root, 'none'))).rejects.toMatchObject({
      code: 'cwd_missing',
      message: `Working directory does not exist: ${root}/none`,
    });
    for (const name of ['file', 'file/below']) {
      await expect(checkDirectory(join(root, name))).rejects.toMatchObject({
        code: 'cwd_not_directory',
        message: `Working directory is not a directory: ${root}/${name}`,
      });
    }
    mkdirSync(join(root, 'sub'));
  });
});

describe('rewriting', () => {
  const request = (command: string, more = {}) => ({ command, cwd: null, head: null, tail: null, ...more });
  const rules = { liftsLeadingCd: true, cdPath: undefined };

  test('a leading cd becomes the directory', async () => {
    expect(await liftLeadingCd(request('cd app && npm test'), rules)).toEqual(
      request('npm test', { cwd: 'app' }),
    );
    expect(await liftLeadingCd(request('cd / && pwd'), rules)).toEqual(request('pwd', { cwd: '/' }));
  });

  test.each([
    ['an explicit directory', request('cd app && ls', { cwd: 'other' }), rules],
    ['a profile that does not', request('cd app && ls'), { ...rules, liftsLeadingCd: false }],
    ['CDPATH', request('cd app && ls'), { ...rules, cdPath: '/elsewhere' }],
    ['an expansion', request('cd $HOME && ls'), rules],
    ['a list that goes on otherwise', request('cd app && ls || echo no'), rules],
    ['no cd at all', request('echo cd a && ls'), rules],
  ])('with %s the command stays as it is', async (_, given, using) => {
    expect(await liftLeadingCd(given, using)).toBe(given);
  });

  test('CDPATH is no matter for a path that says where it begins', async () => {
    const moved = await liftLeadingCd(request('cd ./app && ls'), { ...rules, cdPath: '/elsewhere' });
    expect(moved.cwd).toBe('./app');
  });

  test('a trailing limit is lifted; an explicit one wins', async () => {
    expect(await liftTrailingLimit(request('make | head -n 5'))).toEqual(request('make', { head: 5 }));
    expect(await liftTrailingLimit(request('make | tail -3'))).toEqual(request('make', { tail: 3 }));
    expect(await liftTrailingLimit(request('make | tail -3', { tail: 9 }))).toEqual(
      request('make', { tail: 9 }),
    );
    const piped = request('make | head -c 5');
    expect(await liftTrailingLimit(piped)).toBe(piped);
  });
});

describe('outcomes', () => {
  test.each([
    [
      { kind: 'exited', exitCode: 3 },
      { status: 'exited', exitCode: 3, signal: null },
    ],
    [
      { kind: 'exited', exitCode: 137 },
      { status: 'exited', exitCode: 137, signal: null },
    ],
    [
      { kind: 'signaled', signal: 'SIGKILL', number: 9 },
      { status: 'signaled', exitCode: 137, signal: 'SIGKILL' },
    ],
    [
      { kind: 'stopped', reason: 'timeout', forced: true },
      { status: 'timed_out', exitCode: null, signal: null },
    ],
    [
      { kind: 'stopped', reason: 'abort', forced: false },
      { status: 'aborted', exitCode: null, signal: null },
    ],
    [
      { kind: 'stopped', reason: 'kill', forced: false },
      { status: 'signaled', exitCode: 143, signal: 'SIGTERM' },
    ],
    [
      { kind: 'lost', why: 'boot' },
      { status: 'lost', exitCode: null, signal: null },
    ],
  ] as const)('%j has one name', (ending, outcome) => {
    expect(toCallOutcome(ending)).toEqual(outcome);
  });
});

describe('the statuses of a pipeline', () => {
  test.each([
    [null, null],
    [[0], null],
    [[0, 0], null],
    [[1, 1], null],
    [
      [1, 0],
      [1, 0],
    ],
    [
      [0, 1],
      [0, 1],
    ],
    [[141, 0], null],
    [[141, 141, 0], null],
    [
      [141, 1],
      [141, 1],
    ],
    [
      [2, 141, 0],
      [2, 141, 0],
    ],
  ])('%j counts as %j', (statuses, counted) => {
    expect(differingPipeStatuses(statuses)).toEqual(counted);
  });
});
