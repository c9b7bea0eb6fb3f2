import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createPolicy } from '../../../../src/tool/approvals/create-policy.ts';
import { REWRITES, seeded } from '../../../helpers/rewrites.ts';

// Nothing here runs a command: a policy only reads them.
const policy = createPolicy();
const context = { home: '/home/user', cwd: '/home/user/project' };

interface Case {
  readonly command: string;
  readonly verdict: 'block' | 'allow';
}

const cases = ['safety.jsonl', 'safety-own.jsonl'].flatMap((name) =>
  readFileSync(join(import.meta.dirname, '../../../cases', name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Case),
);

const denied = (command: string): boolean => policy.judge(command, context).verdict === 'deny';

/** Text whose meaning changes inside a nested shell: a `~`, a `$1`, a trap. */
const CHANGES_INSIDE =
  /\btrap\b|\balias\b|\bset --|\$[0-9@*#]|\bexec\b|\breturn\b|\bcoproc\b|<\(|\bcd\b|\blocal\b|\bbreak\b/;

test.each(Object.entries(REWRITES))('the meaning stays, and so does the verdict: %s', (name, rewrite) => {
  const chance = seeded(name.length * 7_919);
  const wrong: string[] = [];
  let tried = 0;
  for (const { command, verdict } of cases) {
    if (CHANGES_INSIDE.test(command)) continue;
    const other = rewrite(command, chance);
    if (other === null) continue;
    tried += 1;
    if (denied(other) !== (verdict === 'block')) wrong.push(`${verdict}: ${other}`);
  }
  expect(wrong).toEqual([]);
  expect(tried).toBeGreaterThan(50);
});

test('two rewrites in sequence do not evade the checks', () => {
  const chance = seeded(4_711);
  const rewrites = Object.values(REWRITES);
  const pick = () => rewrites[Math.floor(chance() * rewrites.length)];
  const wrong = cases.flatMap(({ command, verdict }) => {
    if (CHANGES_INSIDE.test(command)) return [];
    const once = pick()?.(command, chance) ?? command;
    const twice = pick()?.(once, chance) ?? once;
    return denied(twice) === (verdict === 'block') ? [] : [`${verdict}: ${twice}`];
  });
  expect(wrong).toEqual([]);
});
