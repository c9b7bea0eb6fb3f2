import type { Condenser } from '../condenser.ts';

export const jest: Condenser = {
  name: 'jest',
  commands: ['jest', 'react-scripts test', 'jasmine', 'karma'],
  headings: /^(?: {2,})[^\s✓✕○√●✔✖(][^:]*$/,
  rules: [
    { what: 'passed test files', pattern: /^PASS /, sure: true },
    { what: 'passed tests', pattern: /^\s+(?:✓|√|✔) /, sure: true },
    { what: 'skipped tests', pattern: /^\s+(?:○|✎) /, sure: true },
    { what: 'progress lines', pattern: /^RUNS {2}|^\s+[.]{20,}$/, sure: true },
  ],
};
