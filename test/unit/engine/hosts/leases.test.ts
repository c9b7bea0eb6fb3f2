import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HostLeases } from '../../../../src/engine/hosts/host-leases.ts';
import { currentProcessIdentity } from '../../../../src/engine/process/process-identity.ts';
import { temporaryDirectory } from '../../../helpers/temporary-directory.ts';

test('five hundred sessions over five hosts are a hundred each', () => {
  const leases = new HostLeases(temporaryDirectory());
  const hosts = ['a', 'b', 'c', 'd', 'e'];
  const taken = Array.from({ length: 500 }, (_, i) => leases.take(`s${i}`, hosts).host);
  for (const host of hosts) expect(taken.filter((name) => name === host).length).toBe(100);
}, 60_000);

test('a session stays where it is, and what is given back is free again', () => {
  const leases = new HostLeases(temporaryDirectory());
  const first = leases.take('s', ['a', 'b']);
  leases.take('t', ['a', 'b']);
  expect(leases.take('s', ['a', 'b']).host).toBe(first.host);
  first.release();
  expect(leases.take('u', ['a', 'b', 'c']).host).toBe('c');
});

test('who is gone holds nothing', () => {
  const directory = temporaryDirectory();
  const leases = new HostLeases(directory);
  const own = currentProcessIdentity();
  const dead = [
    { pid: 4_194_300, startTime: 1 },
    { ...own, startTime: 1 },
    { ...own, bootId: 'another' },
  ];
  for (const [i, identity] of dead.entries())
    writeFileSync(join(directory, `${i}.json`), JSON.stringify({ host: 'a', session: 'x', ...identity }));
  expect(leases.take('s', ['a', 'b']).host).toBe('a');
});
