import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ERROR_CODES } from '../../../src/errors.ts';

const page = readFileSync(new URL('../../../docs/reference/errors.md', import.meta.url), 'utf8');
const sections = page.split(/^### /m).slice(1);

test('docs/reference/errors.md lists every error code, in the order of the catalogue, and no other', () => {
  const documented = sections.map((section) => /^`(\w+)`\n/.exec(section)?.[1]);
  expect(documented).toEqual([...ERROR_CODES]);
});

test('every section says when, shows a message, and says what to do', () => {
  for (const section of sections) {
    const [code, when, example, advice] = section.trim().split('\n\n');
    expect(when, code).toMatch(/\w/);
    expect(example, code).toMatch(/^> \S/);
    expect(advice, code).toMatch(/\w/);
  }
});
