import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import {
  findShell,
  findShellProblem,
  parseBashVersion,
  readBashVersion,
} from '../../../../src/engine/shell/find-shell.ts';
import { NacreError } from '../../../../src/errors.ts';

const directory = mkdtempSync(join(tmpdir(), 'nacre-shell-'));
afterAll(() => rmSync(directory, { recursive: true }));

const bash = findShell({ configured: null, searchPath: process.env.PATH ?? '' });

function file(name: string, text: string, mode = 0o755): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

function configure(path: string): string | NacreError {
  try {
    return findShell({ configured: { path, source: 'shellPath in /etc/x.json' }, searchPath: '' });
  } catch (error) {
    if (error instanceof NacreError) return error;
    throw error;
  }
}

describe('which shell runs commands', () => {
  test('the bash of this machine is found, and its version is read without starting it', () => {
    expect(bash).toMatch(/^\/.*bash$/);
    expect(readBashVersion(bash)?.text).toMatch(/^\d+\.\d+\.\d+\(\d+\)-release$/);
  });

  test('a configured bash is taken as it was written, symbolic link or not', () => {
    const link = join(directory, 'my-shell');
    symlinkSync(bash, link);
    expect(configure(link)).toBe(link);
  });

  test('a wrapper around bash is asked for its version', () => {
    const wrapper = file('wrapper', `#!/bin/sh\nexec ${bash} "$@"\n`);
    expect(configure(wrapper)).toBe(wrapper);
  });

  test.each([
    ['is missing', () => join(directory, 'nowhere'), 'it does not exist'],
    ['is a directory', () => directory, 'it is not a file'],
    ['may not be run', () => file('plain', '#!/bin/sh\n', 0o644), 'it is not executable'],
    ['is something else', () => file('other', '#!/bin/sh\nexit 0\n'), 'it is not bash'],
    [
      'is too old',
      () => file('old', '#!/bin/sh\n# @(#)Bash version 3.2.57(1) release GNU\n'),
      'it is bash 3.2.57(1)-release',
    ],
    [
      'is just too old',
      () => file('4.3', '@(#)Bash version 4.3.48(1) release GNU\n'),
      'and 4.4 or newer is needed',
    ],
    ['is relative', () => 'bin/bash', 'the path is not absolute'],
  ])('a configured shell that %s is an error that names the setting', (_what, path, reason) => {
    const error = configure(path());
    expect(error).toMatchObject({ code: 'shell_missing' });
    expect(String(error)).toContain(reason);
    expect(String(error)).toContain('It is set by shellPath in /etc/x.json.');
  });

  test('4.4 is new enough', () => {
    expect(findShellProblem(file('4.4', '@(#)Bash version 4.4.0(1) release GNU\n'))).toBeNull();
  });

  test('the version of a pre-release is read as far as it goes', () => {
    expect(parseBashVersion('5.3.0(1)-rc2 x')).toEqual({ major: 5, minor: 3, text: '5.3.0(1)-rc2' });
    expect(parseBashVersion('zsh 5.9')).toBeNull();
  });

  test('a directory called bash on PATH is not a shell', () => {
    mkdirSync(join(directory, 'bash'));
    expect(findShellProblem(join(directory, 'bash'))).toBe('it is not a file');
  });
});
