import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  SETTING_TABLE,
  type Setting,
  toEnvironmentVariable,
} from '../../../src/surfaces/config/setting-table.ts';

const page = readFileSync(new URL('../../../docs/reference/settings.md', import.meta.url), 'utf8');

function projectMay({ project }: Setting): string {
  if (project === 'may') return 'yes';
  return 'only' in project ? `only ${project.only.map((value) => `\`${value}\``).join(', ')}` : 'no';
}

test('docs/reference/settings.md lists every setting as its row says, and no other', () => {
  const rows = Object.entries(SETTING_TABLE).map(([key, setting]) => {
    const cells = [
      `\`${key}\``,
      setting.help,
      setting.type.expected,
      setting.default,
      projectMay(setting),
      `\`${toEnvironmentVariable(key)}\``,
    ];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  const documented = page.split('\n').filter((line) => line.startsWith('| `'));
  expect(documented).toEqual(rows);
});
