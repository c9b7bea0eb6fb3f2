import type { Condenser } from '../condenser.ts';

export const vitest: Condenser = {
  name: 'vitest',
  commands: ['vitest', 'playwright', 'bun test', 'deno test', 'ava', 'wtr', 'cypress'],
  rules: [
    { what: 'passed tests', pattern: /^\s*(?:✓|√|✔|\(pass\)) |^\S.* \.\.\. ok \(\d|^\s*✓$/, sure: true },
    { what: 'skipped tests', pattern: /^\s*(?:↓|-|\(skip\)|\(todo\)) \S/, sure: true },
  ],
};
