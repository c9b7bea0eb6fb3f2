import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const guide = readFileSync(join(root, 'docs/guide/library.md'), 'utf8');

test.each(['abort.js', 'call.js', 'job.js', 'tool-loop.js'])(
  'the guide shows examples/%s as it is',
  (name) => {
    expect(guide).toContain(`\`\`\`js\n${readFileSync(join(root, 'examples', name), 'utf8')}\`\`\``);
  },
);
