import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BUILT_IN_CONDENSERS } from '../../../src/engine/output/condensers/built-in-condensers.ts';

const page = readFileSync(new URL('../../../docs/guide/output.md', import.meta.url), 'utf8');

test('docs/guide/output.md lists every condenser with its commands, and no other', () => {
  const rows = BUILT_IN_CONDENSERS.map(
    ({ name, commands }) => `| \`${name}\` | ${commands.map((command) => `\`${command}\``).join(', ')} |`,
  );
  expect(page.split('\n').filter((line) => line.startsWith('| `'))).toEqual(rows);
});
