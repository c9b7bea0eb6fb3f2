import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { UrlSchemes } from '../../../../src/tool/urls/expand-urls.ts';
import { expandCommandUrls, expandValueUrl } from '../../../../src/tool/urls/expand-urls.ts';
import { createCallerScheme } from '../../../../src/tool/urls/url-schemes.ts';

/** `box://x` is `/box/x`. */
const schemes: UrlSchemes = { box: createCallerScheme(({ rest }) => `/box/${rest}`) };

async function expanded(command: string): Promise<string> {
  return (await expandCommandUrls(command, schemes)).text;
}

test.each([
  ['cat box://a.txt', 'cat /box/a.txt'],
  ['cat box://a.txt; echo ok', 'cat /box/a.txt; echo ok'],
  ['cat box://a?q=1', "cat '/box/a?q=1'"],
  [`cat 'box://a b'`, `cat '/box/a b'`],
  ['cat "box://a"', 'cat /box/a'],
  [`cat box://it\\'s`, `cat '/box/it'\\''s'`],
  ['echo x > box://out', 'echo x > /box/out'],
  ['cat <<< box://a', 'cat <<< /box/a'],
  ['box://run --flag', '/box/run --flag'],
  ['echo "$(cat box://F)"', 'echo "$(cat /box/F)"'],
  ['echo "`cat box://F`"', 'echo "`cat /box/F`"'],
  ['for f in box://a box://b; do cat "$f"; done', 'for f in /box/a /box/b; do cat "$f"; done'],
  ['(cd box://d && ls)', '(cd /box/d && ls)'],
  ['a=(box://a box://b)', 'a=(/box/a /box/b)'],
])('%s becomes %s', async (command, result) => {
  expect(await expanded(command)).toBe(result);
});

test.each([
  `echo 'see box://a for more'`,
  `echo "see box://a for more"`,
  'echo box://a$X',
  'X=box://a cmd',
  'echo "\\`cat box://a\\`"',
  'echo http://example.com/box//',
  'git clone ssh://host/x',
  'cat <<EOF\nbox://a\nEOF',
  'echo xbox://a',
])('%s is left as it is', async (command) => {
  expect(await expanded(command)).toBe(command);
});

test('whatever the path, bash reads exactly that path, in backticks too', async () => {
  const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(name, fc.boolean(), async (odd, inBackticks) => {
      fc.pre(!odd.includes('\0') && !odd.includes('\n') && !/\s$/u.test(odd));
      const own: UrlSchemes = { odd: createCallerScheme(() => `/${odd}`) };
      const command = inBackticks ? 'printf %s "`printf %s odd://x`"' : 'printf %s odd://x';
      const { text } = await expandCommandUrls(command, own);
      expect(execFileSync('bash', ['-c', text], { encoding: 'utf8' })).toBe(`/${odd}`);
    }),
    { numRuns: 40 },
  );
});

test.each(['a`b', 'a$b', 'a\\b', "a'b", 'a"b', 'a\\`$b'])(
  'a path %s stays itself, in backticks and out of them',
  async (odd) => {
    const own: UrlSchemes = { odd: createCallerScheme(() => `/${odd}`) };
    for (const command of [
      'printf %s odd://x',
      'printf %s `printf %s odd://x`',
      'printf %s "`printf %s odd://x`"',
    ]) {
      const { text } = await expandCommandUrls(command, own);
      expect(execFileSync('bash', ['-c', text], { encoding: 'utf8' })).toBe(`/${odd}`);
    }
  },
);

test('a value is replaced only as a whole, and raw', async () => {
  expect((await expandValueUrl(`box://it's here`, schemes)).text).toBe(`/box/it's here`);
  expect((await expandValueUrl('see box://a', schemes)).text).toBe('see box://a');
  expect((await expandValueUrl('http://a', schemes)).text).toBe('http://a');
});

test('a resolver that knows nothing, throws or gives nonsense is an error', async () => {
  const none: UrlSchemes = { box: createCallerScheme(() => null) };
  await expect(expandCommandUrls('cat box://a', none)).rejects.toMatchObject({ code: 'url_unresolved' });
  const broken: UrlSchemes = {
    box: createCallerScheme(() => {
      throw new Error('no network');
    }),
  };
  await expect(expandCommandUrls('cat box://a', broken)).rejects.toThrow(
    'box://a cannot be resolved: no network',
  );
  const relative: UrlSchemes = { box: createCallerScheme(() => 'a/b') };
  await expect(expandCommandUrls('cat box://a', relative)).rejects.toThrow('returned no absolute path');
});

test('a URL that cannot be resolved is no matter where it is only mentioned', async () => {
  const none: UrlSchemes = { box: createCallerScheme(() => null) };
  expect((await expandCommandUrls(`echo 'text with box://a inside'`, none)).text).toBe(
    `echo 'text with box://a inside'`,
  );
});
