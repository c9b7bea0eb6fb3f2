import type { Condenser } from '../condenser.ts';

/** What did not change goes first: every file and every changed line is somebody's question. */
export const gitDiff: Condenser = {
  name: 'git diff',
  commands: ['git diff', 'git show'],
  own: true,
  rules: [
    { what: 'unchanged lines', pattern: /^ .*$|^$/, sure: true },
    {
      what: 'object ids',
      pattern: /^index [\da-f]+\.\.[\da-f]+|^--- (?:a\/|\/dev\/null)|^\+\+\+ b\//,
      sure: true,
    },
  ],
};
