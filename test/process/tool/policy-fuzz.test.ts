import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkBashSyntax } from '../../../src/engine/shell/find-shell.ts';
import { createPolicy } from '../../../src/tool/approvals/create-policy.ts';
import { seeded } from '../../helpers/rewrites.ts';

const cases = ['safety.jsonl', 'safety-own.jsonl'].flatMap((name) =>
  readFileSync(join(import.meta.dirname, '../../cases', name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { command: string }).command),
);

/** Reads and never runs: `-n`, and no program could be found if it did. */
function bashAccepts(text: string): boolean {
  const { status } = spawnSync('/bin/bash', ['--norc', '-n', '-c', text], {
    env: { PATH: '/nowhere' },
    cwd: '/',
    stdio: 'ignore',
    timeout: 20_000,
  });
  return status === 0;
}

const PIECES = [
  ...[
    '"',
    "'",
    '`',
    '\\',
    '$',
    '(',
    ')',
    '{',
    '}',
    '[',
    ']',
    '<',
    '>',
    '|',
    '&',
    ';',
    '#',
    '*',
    '?',
    '~',
    '=',
    '!',
    ',',
  ],
  ...[
    '\n',
    '\t',
    ' ',
    '$(',
    '${',
    '$((',
    '))',
    '<(',
    '<<',
    '<<<',
    '&&',
    '||',
    ';;',
    ';&',
    '|&',
    '>&',
    '((',
    '[[',
    ']]',
  ],
  ...[
    'if ',
    'then ',
    'fi',
    'do ',
    'done',
    'case ',
    'esac',
    'for ',
    'in ',
    'while ',
    'function ',
    'EOF\n',
    "<<'EOF'\n",
  ],
  ...[
    '\0',
    '\r',
    '\u2028',
    '\uE000',
    'é',
    '😀',
    '\\\n',
    "$'\\x41'",
    '${x:-',
    '${#x}',
    '${!x}',
    '%',
    '@',
    '^',
    '-',
    '+',
  ],
];

/** A few cuts, doublings and insertions, always the same for the same seed. */
function mutate(text: string, chance: () => number): string {
  let changed = text;
  for (let count = 1 + Math.floor(chance() * 3); count > 0; count -= 1) {
    const at = Math.floor(chance() * (changed.length + 1));
    const length = Math.floor(chance() * 6);
    const kind = Math.floor(chance() * 4);
    const piece = PIECES[Math.floor(chance() * PIECES.length)] ?? '';
    const other = cases[Math.floor(chance() * cases.length)] ?? '';
    const middle =
      [piece, '', changed.slice(at, at + length).repeat(2), other.slice(0, length * 4)][kind] ?? '';
    changed = changed.slice(0, at) + middle + changed.slice(at + (kind === 0 ? 0 : length));
  }
  return changed;
}

const chance = seeded(20_261_115);
const mutants = Array.from({ length: 4_000 }, () =>
  mutate(cases[Math.floor(chance() * cases.length)] ?? '', chance),
);

describe('whatever is made of a command', () => {
  test('it is judged: nothing is thrown, and no budget is exceeded', () => {
    const policy = createPolicy({ checkSyntax: () => ({ line: 1, message: 'line 1: syntax error' }) });
    const wrong = mutants.flatMap((command) => {
      try {
        const { findings } = policy.judge(command);
        return findings.some(({ rule }) => rule === 'too_complex') ? [`too complex: ${command}`] : [];
      } catch (error) {
        return [`${String(error)}: ${command}`];
      }
    });
    expect(wrong).toEqual([]);
  });

  test('what bash can read and we cannot is refused; what bash cannot read is left to it', () => {
    const texts = mutants.filter((command) => !command.includes('\0')).slice(0, 250);
    const accepted = new Map(texts.map((text) => [text, bashAccepts(text)]));
    const lenient = createPolicy({ unreadable: 'allow' });
    const strict = createPolicy({ checkSyntax: (text) => checkBashSyntax(text, '/bin/bash') });
    const unread = texts.filter((text) => lenient.explain(text).parse === 'failed' && accepted.get(text));
    expect(unread.filter((text) => strict.judge(text).verdict !== 'deny')).toEqual([]);
    // The two readers agree about nearly everything.
    expect(unread.length).toBeLessThanOrEqual(5);
    const refused = texts.filter((text) =>
      strict.judge(text).findings.some(({ rule }) => rule === 'unreadable'),
    );
    // Bash runs the lines before a syntax error, so they must be readable.
    expect(refused.filter((text) => !accepted.get(text) && !text.includes('\n'))).toEqual([]);
    expect([...accepted.values()].filter(Boolean).length).toBeGreaterThan(50);
  });

  test.each([
    ['open brackets', '$('.repeat(5_000)],
    ['open braces', '{a,'.repeat(5_000)],
    ['nested groups', `${'{ '.repeat(400)}git add x${'; }'.repeat(400)}`],
    ['nested conditions', `${'if true; then '.repeat(300)}git add x${'; fi'.repeat(300)}`],
    ['a very long word', `git add ${'a'.repeat(200_000)}`],
    ['very many words', `git add ${'a '.repeat(60_000)}`],
    ['many braces', `git add ${'{a,b}'.repeat(40)}`],
    ['many backticks', '`'.repeat(3_001)],
    ['many here-documents', 'cat <<A <<B\nx\nA\ny\nB\n'.repeat(500)],
    ['a long sum', `echo $((${'1+'.repeat(20_000)}1))`],
    ['many pipes', `git add x ${'| cat '.repeat(3_000)}`],
    [
      'a script in a script in a script',
      Array.from({ length: 9 })
        .reduce<string>((text) => `bash -c ${JSON.stringify(text)}`, 'git add x')
        .slice(0, 200_000),
    ],
  ])('and however much of it there is: %s', (_name, command) => {
    const { verdict, findings } = createPolicy({
      checkSyntax: () => ({ line: 1, message: 'line 1: syntax error' }),
    }).judge(command);
    // Either it was gone through, or it was refused for being too much: never silently let go.
    if (verdict === 'deny')
      expect(findings.map(({ rule }) => rule)).toEqual([expect.stringMatching(/too_complex|no_blind/)]);
    else expect(verdict).toBe('allow');
  });

  test('a budget that is exceeded is named', () => {
    const policy = createPolicy({ limits: { maxSteps: 50, maxDepth: 2, maxLength: 400 } });
    const because = (command: string): string => policy.judge(command).findings[0]?.because ?? '';
    expect(because(`git add ${'a '.repeat(100)}`)).toBe('more than 50 steps');
    expect(because('bash -c "bash -c \'bash -c ls\'"')).toBe('more than 2 levels');
    expect(because(`git add ${'a'.repeat(400)}`)).toBe('more than 400 characters');
  });
});
