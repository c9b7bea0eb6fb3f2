import { describe, expect, test } from 'vitest';
import { splitLeadingCd } from '../../../../../src/tool/syntax/command-affixes.ts';

describe('a leading cd moves', () => {
  test.each([
    ['cd app && npm test', 'app', 'npm test'],
    ['cd / && pwd', '/', 'pwd'],
    ['cd .. && ls', '..', 'ls'],
    ['  cd app &&  npm test  ', 'app', 'npm test'],
    ['cd "a b" && x', 'a b', 'x'],
    ["cd 'a b' && x", 'a b', 'x'],
    ['cd a\\ b && x', 'a b', 'x'],
    ['cd ~ && x', '~', 'x'],
    ['cd ~/src && x', '~/src', 'x'],
    ["cd '~' && x", './~', 'x'],
    ['cd "~/x" && y', './~/x', 'y'],
    ['cd \\~ && x', './~', 'x'],
    ["cd '*' && x", '*', 'x'],
    ["cd '$HOME' && x", '$HOME', 'x'],
    ['cd x && cd y && z', 'x', 'cd y && z'],
    ['cd x && a && b | c', 'x', 'a && b | c'],
    ['cd x && { a || b; }', 'x', '{ a || b; }'],
    ['cd x && cat <<E\n  a\nE', 'x', 'cat <<E\n  a\nE'],
  ])('%s', (command, path, rest) => {
    expect(splitLeadingCd(command)).toEqual({ path, rest });
  });
});

describe('a leading cd stays where the shell would see a difference', () => {
  test.each([
    'cd /tmp 2>/dev/null && x',
    'cd $HOME/x && y',
    'cd $(git rev-parse --show-toplevel) && y',
    'cd `pwd` && y',
    'cd a\\\nb && y',
    'cd x && \\\n y',
    'cd x &&\ny',
    'cd /tm* && pwd',
    'cd a[bc] && pwd',
    'cd a? && pwd',
    'cd @(a|b) && pwd',
    'cd - && pwd',
    'cd "-" && pwd',
    'cd {a,b} && pwd',
    'cd ~user && pwd',
    'cd ~+ && pwd',
    'cd ~"/x" && pwd',
    'cd a=~/x && pwd',
    'cd "$X" && pwd',
    'cd && pwd',
    "cd '' && pwd",
    'cd a b && pwd',
    'cd -P a && pwd',
    'cd -- a && pwd',
    'CDPATH=/ cd a && pwd',
    'time cd a && pwd',
    '! cd a && pwd',
    'cd x && y &',
    'cd x && y || z',
    'cd x || y',
    'cd x; y',
    'cd x\ny',
    'cd x && y; z',
    'cd x && y\nz',
    '(cd x && y)',
    'cd x && ls && cd -',
    'cd x && echo "$OLDPWD"',
    'cd x && echo $_',
    'cd x && y &&',
    "cd x && echo 'y",
    'cdx && y',
    'ls && cd x',
    'cd x',
    '',
  ])('%s', (command) => {
    expect(splitLeadingCd(command)).toBeNull();
  });
});
