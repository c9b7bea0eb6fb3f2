import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LockOwner } from '../../../src/engine/process/file-lock.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';

test('one at a time has it, and leaves it to the next', () => {
  const path = join(temporaryDirectory(), 'it');
  const [first, second] = [new LockOwner('first'), new LockOwner('second')];
  expect(first.tryAcquire(path)).toBe(true);
  expect(first.tryAcquire(path)).toBe(true);
  expect(second.tryAcquire(path)).toBe(false);
  second.release(path);
  expect(second.tryAcquire(path)).toBe(false);
  first.release(path);
  expect(second.tryAcquire(path)).toBe(true);
  expect(readdirSync(join(path, '..'))).toEqual(['it.2']);
});

test.each([
  ['of another boot', (mark: string) => mark.replace(/\S+$/, 'another')],
  ['of a process that has its number now', (mark: string) => mark.replace(/^(\S+ \d+) \d+/, '$1 1')],
  ['half-written', (mark: string) => mark.slice(0, 10)],
])("a claim %s is nobody's", (_, change) => {
  const path = join(temporaryDirectory(), 'it');
  writeFileSync(`${path}.7`, change(new LockOwner('x').token));
  expect(new LockOwner('next').tryAcquire(path)).toBe(true);
  expect(readFileSync(`${path}.8`, 'utf8')).toMatch(/^next /);
});

const PROGRAM = `
import { appendFileSync } from 'node:fs';
import { LockOwner } from '${join(process.cwd(), 'dist/engine/process/file-lock.js')}';
const [path, ledger, rounds] = process.argv.slice(1);
for (let round = 0; round < Number(rounds); ) {
  const claimant = new LockOwner(process.pid + '-' + round);
  if (!claimant.take(path)) continue;
  appendFileSync(ledger, 'in ' + process.pid + '\\n');
  appendFileSync(ledger, 'out ' + process.pid + '\\n');
  claimant.give(path);
  round += 1;
}
`;

test('of many programs at once never two have it, whoever is killed in the middle', async () => {
  const directory = temporaryDirectory();
  const [path, ledger] = [join(directory, 'it'), join(directory, 'ledger')];
  const start = () => spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, path, ledger, '150']);
  const programs = Array.from({ length: 4 }, start);
  const ended = programs.map((program) => once(program, 'close'));
  const victim = start();
  await expect
    .poll(() => readLines(ledger).some((line) => line.endsWith(` ${victim.pid}`)), { timeout: 20_000 })
    .toBe(true);
  victim.kill('SIGKILL');
  await Promise.all(ended);
  const lines = readLines(ledger);
  for (const [at, line] of lines.entries()) {
    const [word, pid] = line.split(' ');
    // Who was killed inside never came out.
    if (word === 'in' && Number(pid) !== victim.pid) expect(lines[at + 1]).toBe(`out ${pid}`);
  }
  expect(lines.filter((line) => line.startsWith('out')).length).toBeGreaterThanOrEqual(600);
});

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
}
