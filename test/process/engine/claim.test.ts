import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  constants,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { LockOwner } from '../../../src/engine/process/file-lock.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';

test('one at a time has it, and leaves it to the next', () => {
  const path = join(temporaryDirectory(), 'it');
  const [first, second] = [new LockOwner('first'), new LockOwner('second')];
  expect(first.tryAcquire(path)).toBe('acquired');
  expect(first.tryAcquire(path)).toBe('acquired');
  expect(second.tryAcquire(path)).toBe('held');
  second.release(path);
  expect(second.tryAcquire(path)).toBe('held');
  first.release(path);
  expect(second.tryAcquire(path)).toBe('acquired');
  expect(readdirSync(join(path, '..'))).toEqual(['it.2']);
});

test.each([
  ['of another boot', (mark: string) => mark.replace(/\S+$/, 'another')],
  ['of a process that has its number now', (mark: string) => mark.replace(/^(\S+ \d+) \d+/, '$1 1')],
  ['half-written', (mark: string) => mark.slice(0, 10)],
])("a claim %s is nobody's", (_, change) => {
  const path = join(temporaryDirectory(), 'it');
  writeFileSync(`${path}.7`, change(new LockOwner('x').token));
  expect(new LockOwner('next').tryAcquire(path)).toBe('acquired');
  expect(readFileSync(`${path}.8`, 'utf8')).toMatch(/^next /);
});

const PROGRAM = `
import { appendFileSync } from 'node:fs';
import { LockOwner } from '${join(process.cwd(), 'dist/engine/process/file-lock.js')}';
const [path, ledger, rounds] = process.argv.slice(1);
for (let round = 0; round < Number(rounds); ) {
  const claimant = new LockOwner(process.pid + '-' + round);
  if (claimant.tryAcquire(path) !== 'acquired') continue;
  appendFileSync(ledger, 'in ' + process.pid + '\\n');
  appendFileSync(ledger, 'out ' + process.pid + '\\n');
  claimant.release(path);
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

const LATE_PROGRAM = `
import { LockOwner } from '${join(process.cwd(), 'dist/engine/process/file-lock.js')}';
process.stdout.write(new LockOwner('late').tryAcquire(process.argv[1]));
`;

test('a program that read a stale lock does not take it from one that was faster', async () => {
  const path = join(temporaryDirectory(), 'it');
  const winner = new LockOwner('winner');
  // A pipe in place of the stale lock holds the late program between its check and its takeover.
  execFileSync('mkfifo', [`${path}.1`]);
  const late = spawn(process.execPath, ['--input-type=module', '-e', LATE_PROGRAM, path]);
  const ended = once(late, 'close');
  const printed: Buffer[] = [];
  late.stdout.on('data', (bytes: Buffer) => printed.push(bytes));
  const openWhenRead = () => openSync(`${path}.1`, constants.O_WRONLY | constants.O_NONBLOCK);
  const fd = await vi.waitFor(openWhenRead, { timeout: 30_000, interval: 5 });
  writeFileSync(`${path}.2`, winner.token);
  rmSync(`${path}.1`);
  writeSync(fd, winner.token.replace(/ \d+ /, ' 4194000 '));
  closeSync(fd);
  await ended;
  expect(Buffer.concat(printed).toString()).toBe('held');
  expect(readFileSync(`${path}.2`, 'utf8')).toBe(winner.token);
}, 60_000);

const LEASE_PROGRAM = `
import { HostLeases } from '${join(process.cwd(), 'dist/engine/hosts/host-leases.js')}';
try {
  new HostLeases(process.argv[1]).take('session', ['a', 'b']);
} catch ({ code }) {
  process.stdout.write(code);
}
`;

test('leases in a directory that cannot be written are refused', () => {
  // Nothing can be created here, not even by root.
  const args = ['--input-type=module', '-e', LEASE_PROGRAM, '/proc/self'];
  const { stdout, signal } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000 });
  expect({ stdout, signal }).toEqual({ stdout: 'store_unusable', signal: null });
}, 90_000);

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
}
