import type { Condenser } from '../condenser.ts';

export const mocha: Condenser = {
  name: 'mocha',
  commands: ['mocha', '_mocha', 'nyc', 'c8'],
  headings: /^ {2,}[^\s✓√✔\d-][^:]*$/,
  rules: [
    { what: 'passed tests', pattern: /^\s+(?:✓|√|✔) /, sure: true },
    { what: 'pending tests', pattern: /^\s+- \S/ },
  ],
};
