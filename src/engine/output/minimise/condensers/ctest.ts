import type { Condenser } from '../condenser.ts';

export const ctest: Condenser = {
  name: 'ctest',
  commands: ['ctest'],
  rules: [
    { what: 'passed tests', pattern: /^\s*\d+\/\d+ Test +#\d+: .* Passed /, sure: true },
    { what: 'starts', pattern: /^\s+Start +\d+: /, sure: true },
  ],
};
