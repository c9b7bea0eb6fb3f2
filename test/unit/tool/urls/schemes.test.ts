import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expandValueUrl } from '../../../../src/tool/urls/expand-urls.ts';
import { createUrlSchemes } from '../../../../src/tool/urls/url-schemes.ts';
import { temporaryDirectory } from '../../../helpers/temporary-directory.ts';

const PATHS: Readonly<Record<string, readonly string[]>> = {
  run1: ['/runs/run1/out'],
  silent: [],
  cut: ['/runs/cut/out', '/runs/cut/out.99'],
};

function setUp() {
  const root = temporaryDirectory();
  const localDirectory = join(root, 'local');
  const skill = join(root, 'skill');
  mkdirSync(join(skill, 'scripts'), { recursive: true });
  writeFileSync(join(skill, 'SKILL.md'), '# skill');
  writeFileSync(join(root, 'secret'), 'outside');
  const schemes = createUrlSchemes({
    urls: { skills: { maths: skill, "it's": skill }, schemes: {} },
    localDirectory,
    artifacts: {
      paths: (id) => PATHS[id] ?? null,
      ids: () => ['run2', 'run1'],
    },
    remoteHostName: null,
  });
  return { root, localDirectory, skill, resolve: (url: string) => expandValueUrl(url, schemes) };
}

test('local:// names a path in the session folder, which need not exist; its parents will', async () => {
  const { localDirectory, resolve } = setUp();
  expect(await resolve('local://new/dir/b.txt')).toEqual({
    text: join(localDirectory, 'new/dir/b.txt'),
    directoriesToCreate: [join(localDirectory, 'new/dir')],
  });
  expect(await resolve('local://')).toEqual({
    text: `${localDirectory}/`.slice(0, -1),
    directoriesToCreate: [localDirectory],
  });
  expect((await resolve('local://a%20b')).text).toBe(join(localDirectory, 'a b'));
  expect((await resolve('local://100%.txt')).text).toBe(join(localDirectory, '100%.txt'));
});

test.each([
  ['local://../secret', '".." is not allowed here'],
  ['local://a/../../secret', '".." is not allowed here'],
  ['local://%2e%2e/secret', 'dots, slashes and NUL must not be encoded'],
  ['local://a%2f..%2fb', 'dots, slashes and NUL must not be encoded'],
  ['local:///etc/passwd', 'an absolute path is not allowed here'],
  ['skill://maths/../secret', '".." is not allowed here'],
  ['skill://maths//etc/passwd', 'an absolute path is not allowed here'],
  ['skill://maths/%2E%2E/secret', 'dots, slashes and NUL must not be encoded'],
])('%s is refused', async (url, reason) => {
  const { resolve } = setUp();
  await expect(resolve(url)).rejects.toMatchObject({
    code: 'url_forbidden',
    message: `${url} is refused: ${reason}`,
  });
});

test('a symbolic link that leads out is refused, also one that leads nowhere yet', async () => {
  const { root, localDirectory, skill, resolve } = setUp();
  mkdirSync(localDirectory);
  symlinkSync(join(root, 'secret'), join(localDirectory, 'link'));
  symlinkSync(join(root, 'not-yet'), join(localDirectory, 'dangling'));
  symlinkSync(root, join(skill, 'up'));
  for (const url of ['local://link', 'local://dangling', 'local://dangling/x', 'skill://maths/up/secret']) {
    await expect(resolve(url)).rejects.toMatchObject({ code: 'url_forbidden' });
  }
});

test('a symbolic link that stays inside is no matter', async () => {
  const { localDirectory, resolve } = setUp();
  mkdirSync(join(localDirectory, 'real'), { recursive: true });
  symlinkSync(join(localDirectory, 'real'), join(localDirectory, 'link'));
  expect((await resolve('local://link/a')).text).toBe(join(localDirectory, 'link/a'));
});

test('skill:// names a file of a registered folder', async () => {
  const { skill, resolve } = setUp();
  expect(await resolve('skill://maths/SKILL.md')).toEqual({
    text: join(skill, 'SKILL.md'),
    directoriesToCreate: [],
  });
  expect((await resolve(`skill://it's/scripts`)).text).toBe(join(skill, 'scripts'));
  expect((await resolve('skill://maths')).text).toBe(skill);
});

test('an unknown name is an error that lists the known names', async () => {
  const { resolve } = setUp();
  await expect(resolve('skill://history/x')).rejects.toThrow(
    `skill://history/x cannot be resolved: there is no skill "history". Skills: it's, maths`,
  );
  await expect(resolve('skill://toString/x')).rejects.toThrow('there is no skill "toString"');
  await expect(resolve('skill://maths/no.md')).rejects.toThrow('Files there: SKILL.md, scripts');
  await expect(resolve('artifact://run9')).rejects.toThrow(
    'artifact://run9 cannot be resolved: there is no such artifact in this session. Artifacts: run1, run2',
  );
});

test('artifact:// names the raw output of a run of this session', async () => {
  const { resolve } = setUp();
  expect((await resolve('artifact://run1')).text).toBe('/runs/run1/out');
  expect((await resolve('artifact://silent')).text).toBe('/dev/null');
  await expect(resolve('artifact://cut')).rejects.toThrow(
    'its parts are separate files: /runs/cut/out /runs/cut/out.99',
  );
});
