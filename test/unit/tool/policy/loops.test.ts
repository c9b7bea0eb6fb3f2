import { describe, expect, test } from 'vitest';
import { createPolicy } from '../../../../src/tool/approvals/create-policy.ts';

const policy = createPolicy();
const verdict = (command: string): string => policy.judge(command).verdict;

describe('a value set in one pass of a loop is known in the next', () => {
  test.each([
    'for i in 1 2; do git add $x; x=-A; done',
    'x=src; while read -r line; do git add "$x"; x=.; done < list',
    'for i in 1 2; do for j in 1 2; do git add $x; done; x=-A; done',
    'until false; do git add $y; y=$x; x=-A; done',
    'for i in 1 2; do f() { git add "$x"; }; f; x=-A; done',
    'for i in 1 2; do bash s; echo git add -A > s; done',
    'for i in 1 2; do read -r a b <<< "$b -A"; git add $a; done',
    'for i in 1 2; do $c; c="git add -A"; done',
    'x=a; for i in 1 2; do [ -n "$x" ] && git add "$x"; x=.; done',
  ])('%s', (command) => {
    expect(verdict(command)).toBe('deny');
  });

  test.each([
    'for i in 1 2; do x=src/$i; git add "$x"; done',
    'while read -r file; do git add "$file"; done < list',
    'for a in x y; do for b in p q; do path=$a/$b; git add "$path"; done; done',
  ])('but no value that is not set: %s', (command) => {
    expect(verdict(command)).toBe('allow');
  });
});

describe('an element of an array whose subscript is an expression may be any element', () => {
  test.each([
    'x=(src -A); i=0; git add "${x[i+1]}"',
    'x=(src -A); git add "${x[n]}"',
    'x=(-A src); git add "${x[n - 1]}"',
    'x=-A; git add "${x[i*2]}"',
    'declare -A m=([all]=-A); git add "${m[all]}"',
  ])('%s', (command) => {
    expect(verdict(command)).toBe('deny');
  });

  test.each([
    'x=(a b); i=0; rm -rf "/srv/app/../../${x[i+1]}"',
    'x=(a b); rm -rf "./${x[i+1]}"',
    'x=(src -A); git add "${x[0]}"',
    'x=(src -A); i=0; git add "${x[i]}"',
    'mapfile -t x < list; rm -rf "./${x[1]}"',
  ])('and is not empty: %s', (command) => {
    expect(verdict(command)).toBe('allow');
  });
});

describe('a list with another separator than the line end is split at it', () => {
  test.each([
    "printf 'src\\0.\\0' | xargs -0 git add",
    "printf '%s\\0' src . | xargs -0 git add",
    "printf 'src\\x00.' | xargs -0 git add",
    "echo -ne 'src\\0.' | xargs --null git add",
    "printf 'src\\n.\\n' | tr '\\n' '\\0' | xargs -0 git add",
    "mapfile -d '' -t x < <(printf 'src\\0.\\0'); git add \"${x[1]}\"",
    'mapfile -d : -t x <<< "src:-A:"; git add "${x[1]}"',
    'readarray -d, -t x <<< "src,.,"; git add "${x[@]}"',
    "printf 'src\\0.\\0' | while read -r -d '' x; do git add \"$x\"; done",
    "printf 'git add\\0 -A' | bash",
    'git "$(printf \'a\\0dd\')" -A',
  ])('%s', (command) => {
    expect(verdict(command)).toBe('deny');
  });

  test.each([
    "printf 'src\\0-A.md\\0' | xargs -0 git add --",
    "printf 'a\\\\0-A' | xargs -0 git add --",
    'mapfile -d : -t x <<< "src:-A:"; git add "${x[0]}"',
    "printf 'a b\\0c d\\0' | xargs -0 git add",
  ])('but nowhere else: %s', (command) => {
    expect(verdict(command)).toBe('allow');
  });
});

describe('input on a descriptor that exec opened is known later', () => {
  test.each([
    'exec 3<<E\ngit add -A\nE\nbash <&3',
    "exec 3<<< 'git add -A'; bash 0<&3",
    'exec 3< <(echo git add -A); bash /dev/fd/3',
    'exec 3<<< \'-A\'; read -r x <&3; git add "$x"',
    'exec 3<<< \'-A\'; read -r -u 3 x; git add "$x"',
    'exec 3<<< \'-A\'; mapfile -t -u 3 x; git add "${x[0]}"',
    "if true; then exec 3<<< 'git add -A'; fi; bash <&3",
  ])('%s', (command) => {
    expect(verdict(command)).toBe('deny');
  });

  test.each([
    "exec 3<<< 'git add -A'; cat <&3",
    "(exec 3<<< 'git add -A'); bash <&3",
    "exec 3<<< 'git add -A'; exec 3<<< 'git add a'; bash <&3",
  ])('but only where it is used: %s', (command) => {
    expect(verdict(command)).toBe('allow');
  });
});

describe('a script with very many combinations is evaluated in bounded steps', () => {
  const repeat = (count: number, line: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => line(index)).join('\n');

  test.each([
    ['files that grow in branches', repeat(60, (n) => `if [ -f x${n} ]; then cat "a${n}" >> all; fi`)],
    ['texts that grow in branches', repeat(60, (n) => `if [ -f x${n} ]; then echo line${n} >> all; fi`)],
    ['a group that prints in branches', `{ ${repeat(60, (n) => `[ -f x${n} ] && echo ${n};`)} } > all`],
    ['variables that grow in branches', `${repeat(20, (n) => `[ -f x${n} ] && v="$v ${n}"`)}\ngit add x $v`],
    ['loops inside loops', `${'for i in 1 2 3; do '.repeat(12)} git add "a$i"; ${'done; '.repeat(12)}`],
    [
      'functions that call each other',
      repeat(40, (n) => `f${n}() { f${n + 1} "$1" "$2"; f${n + 1} "$2" x; }`),
    ],
  ])('%s', (_name, script) => {
    expect(verdict(`${script}\ngit add src\n`)).toBe('allow');
  });

  test('a file that was written in branches is still run', () => {
    const lines = repeat(20, (n) => `if [ -f x${n} ]; then echo line${n} >> s; fi`);
    expect(verdict(`${lines}\nif [ -f y ]; then echo git add -A >> s; fi\nbash s`)).toBe('deny');
  });
});
