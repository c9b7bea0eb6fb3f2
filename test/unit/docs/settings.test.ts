import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { renderSettingsTable } from '../../../src/surfaces/config/settings.ts';

test('docs/reference/settings.md contains the table of the code (npm run docs:settings writes it)', () => {
  const page = readFileSync(new URL('../../../docs/reference/settings.md', import.meta.url), 'utf8');
  expect(page.slice(page.indexOf('| setting |'))).toBe(renderSettingsTable());
});
