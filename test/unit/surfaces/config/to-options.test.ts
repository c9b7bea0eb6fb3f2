import { describe, expect, test } from 'vitest';
import { createBash } from '../../../../src/index.ts';
import { SETTING_TABLE } from '../../../../src/surfaces/config/setting-table.ts';
import { toBashOptions } from '../../../../src/surfaces/config/to-bash-options.ts';
import { resolveOptions } from '../../../../src/tool/options/resolve-options.ts';

const RULES = [{ pattern: '^cat', tool: 'read', message: 'Use read.' }];
const SAMPLES: readonly unknown[] = [
  true,
  1000,
  '1KiB',
  ['A'],
  '/tmp/x',
  'agent',
  'keep',
  'stop',
  'block',
  'refuse',
  'text',
  RULES,
  [{ action: 'allow', prefix: 'git' }],
  [{ name: 'mine', commands: ['x'], drop: [{ pattern: '^x', what: 'lines' }] }],
  { box: { type: 'ssh', destination: 'box' } },
];

function sampleFor(key: string): unknown {
  if (key === 'host') return 'sandbox';
  // The library knows which names there are.
  if (/^shellMinimizer\.(?:only|except)$/.test(key)) return ['vitest'];
  const values = SAMPLES.map((sample) => SETTING_TABLE[key]?.type.parse(sample));
  return values.find((value) => value !== undefined);
}

const at = (options: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], options);

describe('every setting', () => {
  test.each(Object.keys(SETTING_TABLE))('%s is an option that the library takes', async (key) => {
    const options = toBashOptions(new Map([[key, { value: sampleFor(key), sources: ['/x'] }]]));
    await createBash(options).close();
  });

  test.each(Object.entries(SETTING_TABLE))('%s has the default that its row says', (_key, setting) => {
    if (setting.option === null) return;
    const real = at(resolveOptions({ profile: 'agent' }), setting.option);
    const inWords = [
      'the first bash found',
      'the built-in rules',
      'this machine',
      'none',
      '$XDG_STATE_HOME/nacre',
    ];
    if (inWords.includes(setting.default)) return;
    const [text = ''] = setting.default.split(';');
    const said = setting.type.parse(setting.type.parseVariable(text));
    expect(real).toEqual(setting.factor === undefined ? said : Number(said) * setting.factor);
  });
});
