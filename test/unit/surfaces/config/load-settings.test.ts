import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  loadSettings,
  SETTINGS,
  toBashOptions,
  toEnvironmentVariable,
} from '../../../../src/tool/options/settings.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'nacre-settings-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const path = (name: string): string => join(root, name);
const USER = 'config/nacre/settings.json';
const PROJECT = 'home/repo/.nacre/settings.json';

function write(name: string, content: unknown): void {
  mkdirSync(dirname(path(name)), { recursive: true });
  writeFileSync(path(name), typeof content === 'string' ? content : JSON.stringify(content));
}

function load(env: Record<string, string> = {}, cwd = 'home/repo') {
  mkdirSync(path(cwd), { recursive: true });
  return loadSettings({
    cwd: path(cwd),
    env: { HOME: path('home'), XDG_CONFIG_HOME: path('config'), ...env },
  });
}

function failure(act: () => unknown): { code: string; message: string } {
  try {
    act();
  } catch (error) {
    return error as { code: string; message: string };
  }
  throw new Error('nothing was thrown');
}

describe('settings', () => {
  test('without files and variables nothing is set', () => {
    expect(load()).toEqual(new Map());
  });

  test('variables are stronger than the project, the project than the user, and each value says where it is from', () => {
    write(USER, { profile: 'modes', timeoutMs: 1000, graceMs: 100, 'async.enabled': true });
    write(PROJECT, { timeoutMs: 2000, graceMs: 200, async: { enabled: false } });
    expect(Object.fromEntries(load({ NACRE_GRACE_MS: '300' }))).toEqual({
      profile: { value: 'modes', sources: [path(USER)] },
      timeoutMs: { value: 2000, sources: [path(PROJECT)] },
      graceMs: { value: 300, sources: ['NACRE_GRACE_MS'] },
      'async.enabled': { value: false, sources: [path(PROJECT)] },
    });
  });

  test('lists of names add up, so that nobody loosens what another one asked for', () => {
    write(USER, { secrets: { deny: ['A', 'B'] } });
    write(PROJECT, { secrets: { deny: ['B', 'C'] } });
    expect(load({ NACRE_SECRETS_DENY: 'D, E,' }).get('secrets.deny')).toEqual({
      value: ['A', 'B', 'C', 'D', 'E'],
      sources: [path(USER), path(PROJECT), 'NACRE_SECRETS_DENY'],
    });
  });

  test('a value that does not fit is an error with the file, the key, what it takes and what it got', () => {
    write(USER, { graceMs: 20_000 });
    expect(failure(load)).toMatchObject({
      code: 'setting_invalid',
      message: `${path(USER)}:1: graceMs must be a number of milliseconds from 0 to 15000, or text such as "90s", got 20000.`,
    });
  });

  test('a variable that does not fit is named', () => {
    expect(failure(() => load({ NACRE_ASYNC_ENABLED: 'perhaps' })).message).toBe(
      'the environment: NACRE_ASYNC_ENABLED must be true or false, got "perhaps".',
    );
  });

  test('an unknown key is an error that names the nearest one', () => {
    write(USER, { storage: { maxRunByte: 1 } });
    expect(failure(load)).toMatchObject({
      code: 'setting_unknown',
      message: `${path(USER)}:1: unknown setting 'storage.maxRunByte'. Did you mean 'storage.maxRunBytes'?`,
    });
    write(USER, { constructor: 1 });
    expect(failure(load).message).toBe(`${path(USER)}:1: unknown setting 'constructor'.`);
  });

  test.each([
    ['shellPath', '/bin/bash'],
    ['shellPrefix', 'evil;'],
    ['profile', 'simple'],
    ['secrets.withhold', false],
    ['secrets.allow', ['*']],
    ['secrets.grants', ['GITHUB_TOKEN']],
    ['storage.maxTotalBytes', 0],
    ['stateDirectory', '/tmp/x'],
    ['async.enabled', true],
    ['maxTimeoutMs', 1_000_000_000],
  ])('a project may not set %s to %j', (key, value) => {
    write(PROJECT, { [key]: value });
    const { code, message } = failure(load);
    expect(code).toBe('setting_forbidden');
    expect(message).toContain(`${path(PROJECT)}:1: a project may not set ${key}`);
    expect(message).toContain(path(USER));
  });

  test('comments and trailing commas are allowed, and texts that look like them are texts', () => {
    write(
      USER,
      '\uFEFF{ // why\n "$schema": "x",\n "shellPrefix": "a // b /* c */, ]", /* \n */ "serial": true, }',
    );
    expect(Object.fromEntries([...load()].map(([key, { value }]) => [key, value]))).toEqual({
      shellPrefix: 'a // b /* c */, ]',
      serial: true,
    });
  });

  test('a file that is no JSON, no object or not readable is named', () => {
    write(USER, '{"a" 1}');
    expect(failure(load)).toMatchObject({ code: 'settings_unreadable' });
    expect(failure(load).message).toContain(path(USER));
    write(USER, '[]');
    expect(failure(load).message).toContain('the file must be an object');
    rmSync(path(USER));
    mkdirSync(path(USER));
    expect(failure(load).message).toBe(`${path(USER)} cannot be read: EISDIR`);
  });

  test.each([
    ['{\n  "serial": true\n  "ci": false\n}', 3],
    ['{\n  // why\n  "serial": tru,\n}', 3],
    ['{\n  "serial": true,\n\n', 2],
    ['{\n  "async": {\n    "enabled": 7\n  }\n}', 3],
    ['{\n  "serial": true,\n  "seral": true\n}', 3],
    ['{\n  "policy": {"enabled": true},\n  "ci": [{"ci": 1}]\n}', 3],
    ['{\n  "policy": {\n    "approvals": {"rules": [\n{"prefix": 7}\n]}}}', 3],
  ])('an error in %j has the line %i', (text, line) => {
    write(USER, text);
    expect(failure(load).message).toMatch(new RegExp(`^${path(USER)}:${line}\\b`));
  });

  test('a file that is nested very deeply is an error like any other', () => {
    write(USER, `{"xyz": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`);
    expect(failure(load).message).toContain(`${path(USER)}:1: unknown setting 'xyz'`);
  });

  test('a key that is written twice in two ways is an error', () => {
    write(USER, { async: { enabled: true }, 'async.enabled': false });
    expect(failure(load).message).toContain('async.enabled must be set once');
  });

  test('null counts as not set', () => {
    write(USER, { shellPath: null });
    expect(load().size).toBe(0);
  });
});

describe('the file of a project', () => {
  const SERIAL = { serial: true };

  test('is found from a directory below, up to the root of the repository', () => {
    write(PROJECT, SERIAL);
    mkdirSync(path('home/repo/.git'));
    expect(load({}, 'home/repo/a/b').size).toBe(1);
    mkdirSync(path('home/repo/a/.git'));
    expect(load({}, 'home/repo/a/b').size).toBe(0);
  });

  test('is found without a repository as long as it is below the home directory', () => {
    write(PROJECT, SERIAL);
    expect(load({}, 'home/repo/a').size).toBe(1);
  });

  test('is never the one in the home directory itself', () => {
    write('home/.nacre/settings.json', SERIAL);
    expect(load({}, 'home').size).toBe(0);
    expect(load({}, 'home/a').size).toBe(0);
  });

  test('outside of home and repositories counts only in the directory itself', () => {
    write('elsewhere/.nacre/settings.json', SERIAL);
    expect(load({}, 'elsewhere').size).toBe(1);
    expect(load({}, 'elsewhere/below').size).toBe(0);
  });
});

describe('the table of settings', () => {
  test.each([
    ['async.enabled', 'NACRE_ASYNC_ENABLED'],
    ['storage.maxRunBytes', 'NACRE_STORAGE_MAX_RUN_BYTES'],
    ['shellPath', 'NACRE_SHELL_PATH'],
  ])('%s is set by the variable %s', (key, name) => {
    expect(toEnvironmentVariable(key)).toBe(name);
  });

  test('no two settings share a variable, and none has one that means something else', () => {
    const variables = [...SETTINGS.keys()].map(toEnvironmentVariable);
    expect(new Set(variables).size).toBe(variables.length);
    expect(variables).not.toContain('NACRE_RUN_ID');
  });

  test.each([
    ['NACRE_STORAGE_MAX_RUN_BYTES', '512MiB', { storage: { maxRunBytes: 536_870_912 } }],
    ['NACRE_STORAGE_MAX_RUN_BYTES', '1.5 g', { storage: { maxRunBytes: 1_610_612_736 } }],
    ['NACRE_STORAGE_MAX_RUN_BYTES', '10B', { storage: { maxRunBytes: 10 } }],
    ['NACRE_STORAGE_MAX_AGE_MS', '2d', { storage: { maxAgeMs: 172_800_000 } }],
    ['NACRE_TIMEOUT_MS', '1.5s', { timeoutMs: 1_500 }],
    ['NACRE_TIMEOUT_MS', '1500', { timeoutMs: 1_500 }],
    ['NACRE_NO_CI', '1', { ci: false }],
    ['PI_BASH_NO_CI', '1', { ci: false }],
    ['NACRE_NO_CI', '0', {}],
    ['NACRE_SERIAL', 'ON', { serial: true }],
    ['NACRE_PROFILE', '', {}],
    ['NACRE_SHELL_PATH', '/x/bash', { shellPath: '/x/bash' }],
  ])('%s=%s gives the options %j', (name, text, options) => {
    expect(toBashOptions(load({ [name]: text }))).toEqual({ settings: false, ...options });
  });

  test.each([
    ['bash.autoBackground.enabled', false, { async: { autoBackground: { enabled: false } } }],
    ['bash.autoBackground.thresholdMs', '5s', { async: { autoBackground: { afterMs: 5_000 } } }],
    ['bash.virtualTerminal', 'on', { virtualTerminal: 'on' }],
    ['bashInterceptor.enabled', true, { policy: { interceptor: { enabled: true } } }],
    ['shellMinimizer.only', ['vitest'], { minimizer: { only: ['vitest'] } }],
  ])('the alias %s sets the option of its row', (key, value, options) => {
    write(USER, { [key]: value });
    expect(toBashOptions(load())).toEqual({ settings: false, ...options });
  });

  test('a setting and its alias in one file are an error', () => {
    write(USER, { 'bash.virtualTerminal': 'on', virtualTerminal: 'off' });
    expect(failure(load).message).toBe(
      `${path(USER)}:1: virtualTerminal must be set once, got a second value in bash.virtualTerminal.`,
    );
  });

  test('an alias in a stronger file overrides the option in a weaker one', () => {
    write(USER, { async: { autoBackground: { afterMs: 1 } } });
    write(PROJECT, { 'bash.autoBackground.thresholdMs': 2 });
    expect(toBashOptions(load())).toMatchObject({ async: { autoBackground: { afterMs: 2 } } });
  });

  test('options of one group end up together', () => {
    write(USER, { shellPath: '/x/bash', storage: { maxRunBytes: 1, onFull: 'stop' } });
    expect(toBashOptions(load())).toEqual({
      settings: false,
      shellPath: '/x/bash',
      storage: { maxRunBytes: 1, onFull: 'stop' },
    });
  });
});
