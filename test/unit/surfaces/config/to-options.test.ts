import { describe, expect, test } from 'vitest';
import { createBash } from '../../../../src/index.ts';
import { listOptionRows } from '../../../../src/tool/options/resolve-options.ts';
import { SETTINGS, type Setting, toBashOptions } from '../../../../src/tool/options/settings.ts';

const SAMPLES: readonly unknown[] = [
  true,
  1000,
  2048,
  1,
  ['A'],
  '/tmp/x',
  'agent',
  'keep',
  'on',
  'stop',
  'block',
  'refuse',
  'deny',
  'codex',
  'text',
  [{ pattern: '^cat', tool: 'read', message: 'Use read.' }],
  [{ action: 'allow', prefix: 'git' }],
  [{ name: 'mine', commands: ['x'], drop: [{ pattern: '^x', what: 'lines' }] }],
  { box: { type: 'ssh', destination: 'box' } },
];

function sampleFor({ key, row }: Setting): unknown {
  if (key === 'host') return 'sandbox';
  // Only existing condensers are accepted.
  if (/^minimizer\.(?:only|except)$/.test(key)) return ['vitest'];
  return SAMPLES.find((sample) => (row.settingCheck ?? row.check).accepts(sample));
}

describe('every setting', () => {
  test.each([...SETTINGS.values()].map((setting) => [setting.key, setting] as const))(
    '%s is an option that the library accepts',
    async (key, setting) => {
      const value = sampleFor(setting);
      expect(value).toBeDefined();
      const options = toBashOptions(new Map([[key, { value, sources: ['/x'] }]]));
      expect(Object.keys(options)).toHaveLength(setting.isOption ? 2 : 1);
      await createBash(options).close();
    },
  );
});

test('the default of every option is a value that the option accepts', () => {
  for (const profile of ['agent', 'modes', 'simple'] as const)
    for (const [path, { check, default: byDefault }] of listOptionRows()) {
      const value = typeof byDefault === 'function' ? byDefault({ profile, env: {} }) : byDefault;
      if (value !== undefined) expect(check.accepts(value), path).toBe(true);
    }
});
