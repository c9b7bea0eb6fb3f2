import type { Condenser } from '../condenser.ts';

export const go: Condenser = {
  name: 'go',
  commands: ['go', 'gotestsum'],
  blocks: [
    {
      what: 'lines of passed tests',
      begins: /^=== RUN /,
      endsWell: /^--- (?:PASS|SKIP): /,
      endsBadly: /^\s*--- FAIL: |^panic: |^FAIL\b|^fatal error: /,
    },
  ],
  rules: [
    {
      what: 'lines about the course of tests',
      pattern: /^\s*(?:=== (?:RUN|PAUSE|CONT|NAME) |--- (?:PASS|SKIP): )/,
      sure: true,
    },
    { what: 'packages without tests', pattern: /^\? {3}\t.*\[no test files\]$|^✓ {2}\S+ \(/, sure: true },
    { what: 'downloads', pattern: /^go: (?:downloading|finding|extracting|added|upgraded) /, sure: true },
  ],
};
