import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const pages = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

test.each(pages)('%s links to files that are there', (page) => {
  const text = readFileSync(join(ROOT, page), 'utf8').replace(/```[\s\S]*?```/g, '');
  const targets = [...text.matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g)].map(([, target]) => target ?? '');
  expect(targets.filter((target) => !existsSync(join(ROOT, dirname(page), target)))).toEqual([]);
});

test.each(pages)('%s shows examples as they are', (page) => {
  const shown = [
    ...readFileSync(join(ROOT, page), 'utf8').matchAll(/<!-- (examples\/\S+) -->\n```\w+\n([\s\S]*?)```/g),
  ];
  for (const [, file = '', text] of shown) expect(text).toBe(readFileSync(join(ROOT, file), 'utf8'));
});

test('the README gives the two commands', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  expect(readme).toContain("npm ci && npm start -- run 'echo hello from bash'");
  expect(readme).toContain('npm ci && npm test');
});
