import { describe, expect, test } from 'vitest';
import { createBash } from '../../../../src/index.ts';
import { toCondensers } from '../../../../src/tool/options/minimizer-options.ts';

const GOOD = {
  name: 'sync',
  commands: ['mytool sync'],
  drop: [{ pattern: '^copied ', what: 'copied files' }],
};

describe('a condenser of one’s own', () => {
  test('is what it says', () => {
    const [condenser] = toCondensers([{ ...GOOD, keep: 'important' }]);
    expect(condenser).toMatchObject({ name: 'sync', commands: ['mytool sync'], keep: /important/ });
    expect(condenser?.rules?.[0]?.pattern.test('copied a')).toBe(true);
  });

  test.each([
    [{ ...GOOD, name: '' }, 'minimizer.condensers[0]', 'name must be text that is not empty'],
    [{ ...GOOD, commands: [] }, 'minimizer.condensers[0]', 'commands must be a list of texts'],
    [
      { ...GOOD, commands: [7] },
      'minimizer.condensers[0]',
      'commands must be a list of texts that are not empty, got',
    ],
    [{ ...GOOD, drop: 'x' }, 'minimizer.condensers[0]', 'drop must be a list of rules'],
    [{ ...GOOD, drop: ['x'] }, 'minimizer.condensers[0].drop[0]', 'it must be an object'],
    [
      { ...GOOD, drop: [{ pattern: '(', what: 'x' }] },
      'minimizer.condensers[0].drop[0].pattern',
      'Invalid regular expression',
    ],
    [
      { ...GOOD, drop: [{ pattern: 'a', flags: 'g', what: 'x' }] },
      'minimizer.condensers[0].drop[0]',
      'flags must be i, u or both',
    ],
    [{ ...GOOD, drop: [{ pattern: 'a' }] }, 'minimizer.condensers[0].drop[0]', 'what must be text'],
    [{ ...GOOD, keep: '[' }, 'minimizer.condensers[0].keep', 'Invalid regular expression'],
    [{ ...GOOD, max: 3 }, 'minimizer.condensers[0]', "unknown field 'max'"],
  ])('is refused when it makes no sense: %o', (rule, place, problem) => {
    const make = (): unknown => createBash({ minimizer: { condensers: [rule as never] } });
    expect(make).toThrow(`Rule ${place} is invalid: ${problem}`);
  });

  test('a name that none has is refused, with the one that was meant', () => {
    expect(() => createBash({ minimizer: { only: ['vitests'] } })).toThrow(
      "Rule minimizer.only is invalid: Unknown condenser 'vitests'. Did you mean 'vitest'?",
    );
    expect(() => createBash({ minimizer: { except: ['nothing-like-it'] } })).toThrow(
      'Available condensers: vitest, jest',
    );
  });
});
