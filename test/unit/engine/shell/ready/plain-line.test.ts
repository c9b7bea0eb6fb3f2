import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSimpleCommandLine } from '../../../../../src/engine/shell/pooled-shell-script.ts';

describe('a plain line', () => {
  test.each([
    'true',
    '  git status --short  ',
    'npm test && echo ok || echo failed; ls',
    'ls -la | head -5 > out.txt 2>&1',
    'grep -n \'a b\' "$FILE" ${OTHER} >> log',
    'FOO=bar make -j2 &',
    'echo a\\ b "c \\" d" é',
    'cat < in | sort &> out',
    '[ -f x ] && echo yes',
    'echo "it is $? of $#"',
  ])('is one: %s', (command) => expect(isSimpleCommandLine(command)).toBe(true));

  test.each([
    '',
    'echo a\necho b',
    'cat <<E',
    'cat <<< x',
    'diff <(a) <(b)',
    'echo $(date)',
    'echo `date`',
    '(cd x)',
    '{ echo a; }',
    'if true; then echo; fi',
    'for i in 1; do echo; done',
    'echo a &&',
    '| echo',
    'echo a;; echo b',
    'echo a;&> b',
    'echo "open',
    "echo 'open",
    'echo a\\',
    'echo # comment',
    '! true',
    'time ls',
    'set',
    'declare -p',
    'echo $_',
    'echo >',
    'echo a > > b',
    'echo ${a:-b}',
    "echo $'a'",
    'x=(1 2)',
    'echo \u0000',
  ])('is none: %j', (command) => expect(isSimpleCommandLine(command)).toBe(false));

  test('bash reads every one without an error', () => {
    const token = fc.constantFrom(
      ...[
        'echo',
        'a',
        '&&',
        '||',
        '|',
        ';',
        '&',
        '>',
        '<',
        '>>',
        '2>&1',
        "'q r'",
        '"d $A"',
        '$B',
        '${C}',
        '[',
        ']',
        '=',
        'x=1',
      ],
      ...[
        '#',
        '!',
        '\\',
        '{',
        '}',
        '(',
        ')',
        '*',
        '~',
        'if',
        'then',
        'done',
        '[[',
        ']]',
        '$',
        '"',
        "'",
        '`',
        '<<',
        '-',
        '\t',
        '%',
        '^',
      ],
    );
    const commands = fc.array(fc.tuple(token, fc.constantFrom('', ' ')), { minLength: 1, maxLength: 9 });
    const accepted = fc
      .sample(commands, { numRuns: 6_000, seed: 7 })
      .map((parts) => parts.flat().join(''))
      .filter(isSimpleCommandLine);
    expect(accepted.length).toBeGreaterThan(300);
    const wrong = [...new Set(accepted)].slice(0, 400).filter((command) => {
      const { status } = spawnSync('/bin/bash', ['-n', '-c', command], { stdio: 'ignore' });
      return status !== 0;
    });
    expect(wrong).toEqual([]);
  });
});
