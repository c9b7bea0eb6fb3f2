import { expect, test } from 'vitest';
import type { BashOptions } from '../../../../src/tool/options/bash-options.ts';
import { defaultStateDirectory } from '../../../../src/tool/options/option-table.ts';
import { resolveOptions } from '../../../../src/tool/options/resolve-options.ts';

test('with no options at all everything is decided', () => {
  const resolved = resolveOptions();
  expect(Object.entries(resolved).filter(([, value]) => value === undefined)).toEqual([]);
  expect(resolved).toMatchObject({
    profile: 'agent',
    cwd: process.cwd(),
    timeoutMs: 300_000,
    maxTimeoutMs: 3_600_000,
    graceMs: 2_000,
    async: { enabled: true, maxJobs: 64 },
    secrets: { withhold: true },
    storage: { maxRunBytes: 1024 ** 3, onFull: 'drop_middle' },
    serial: false,
    readyShells: 2,
  });
});

test('the profile decides what else holds by default, and every default can be changed', () => {
  expect(resolveOptions({ profile: 'modes' })).toMatchObject({ timeoutMs: 30_000, graceMs: 15_000 });
  expect(resolveOptions({ profile: 'simple' })).toMatchObject({
    timeoutMs: 30_000,
    secrets: { withhold: false },
  });
  expect(resolveOptions({ profile: 'simple', secrets: { withhold: true } }).secrets.withhold).toBe(true);
});

test('what is undefined counts as left out', () => {
  const options = {
    cwd: undefined,
    timeoutMs: undefined,
    async: { enabled: undefined },
  } as unknown as BashOptions;
  expect(resolveOptions(options)).toMatchObject({
    cwd: process.cwd(),
    timeoutMs: 300_000,
    async: { enabled: true },
  });
});

test('each instance has a session of its own unless one is named', () => {
  expect(resolveOptions().session).not.toBe(resolveOptions().session);
  expect(resolveOptions({ session: 'mine' }).session).toBe('mine');
});

test('a relative directory is made absolute', () => {
  expect(resolveOptions({ cwd: 'some/where' }).cwd).toBe(`${process.cwd()}/some/where`);
});

test.each([
  [{ profile: 'agnet' }, 'Option profile must be agent, modes or simple, got the text "agnet".'],
  [{ timeoutMs: 0 }, 'Option timeoutMs must be a whole number from 1, got the number 0.'],
  [{ timeoutMs: Number.NaN }, 'Option timeoutMs must be a whole number from 1, got the number NaN.'],
  [{ graceMs: 20_000 }, 'Option graceMs must be a whole number from 0 to 15000, got the number 20000.'],
  [{ session: ' ' }, 'Option session must be text that is not empty, got the text " ".'],
  [{ async: { enabled: 'yes' } }, 'Option async.enabled must be true or false, got the text "yes".'],
  [{ async: true }, 'Option async must be an object, got true.'],
  [{ secrets: { mask: 'x' } }, 'Option secrets.mask must be a list of texts, got the text "x".'],
  [
    { env: { 'A-B': '1' } },
    'Option env must be an object of variable names and texts without NUL, got an object.',
  ],
  [
    { urls: { skills: { a: 'rel' } } },
    'Option urls.skills must be an object of names and absolute folders, got an object.',
  ],
  [
    { hooks: { befor: () => undefined } },
    /^Option hooks must be an object with the functions before and after/,
  ],
  [{ host: {} }, 'Option host must be the name of a host, a host or null, got an object.'],
  [{ timeout: 5 }, "Unknown option 'timeout'. Did you mean 'timeoutMs'?"],
  [
    { storage: { maxRunByte: 5 } },
    "Unknown option 'storage.maxRunByte'. Did you mean 'storage.maxRunBytes'?",
  ],
  [{ constructor: 5 }, "Unknown option 'constructor'."],
  [null, 'Option options must be an object, got null.'],
])('%j is refused before anything starts', (options, message) => {
  expect(() => resolveOptions(options as BashOptions)).toThrow(message);
});

test('the state directory follows the XDG rules', () => {
  expect(defaultStateDirectory({ XDG_STATE_HOME: '/x/state', HOME: '/h' })).toBe('/x/state/nacre');
  expect(defaultStateDirectory({ XDG_STATE_HOME: 'relative', HOME: '/h' })).toBe('/h/.local/state/nacre');
  expect(defaultStateDirectory({ HOME: '/h' })).toBe('/h/.local/state/nacre');
});
