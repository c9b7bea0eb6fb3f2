import type { Condenser } from '../condenser.ts';

export const prove: Condenser = {
  name: 'prove',
  commands: ['prove', 'perl'],
  rules: [
    { what: 'passed tests', pattern: /^\s*ok \d+(?: |$)/, sure: true },
    { what: 'passed files', pattern: /^\S+\.t \.{2,} ?(?:ok.*)?$|^ok$/, sure: true },
    { what: 'plans', pattern: /^\s*1\.\.\d+$/, sure: true },
  ],
};
