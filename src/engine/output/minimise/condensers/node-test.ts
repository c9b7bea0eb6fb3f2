import type { Condenser } from '../condenser.ts';

/** The spec reporter of node, and TAP, which it and many others write. */
export const nodeTest: Condenser = {
  name: 'node test',
  commands: ['node --test', 'node', 'tsx', 'tape', 'tap', 'bats'],
  headings: /^\s*(?:▶ |# Subtest: )/,
  rules: [
    { what: 'passed tests', pattern: /^\s*(?:✔ |ok \d+(?: |$))/, sure: true },
    { what: 'skipped tests', pattern: /^\s*﹣ /, sure: true },
    {
      what: 'lines about passed tests',
      pattern: /^\s+(?:---|\.\.\.|duration_ms: .*|type: '(?:suite|test)')$|^\s+\d+\.\.\d+$/,
      sure: true,
    },
  ],
};
