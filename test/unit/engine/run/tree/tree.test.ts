import { expect, test } from 'vitest';
import { LocalProcessTree } from '../../../../../src/engine/process/process-tree.ts';

test.each([0, 1, -1])(
  'a run whose root is %d has no members: the kernel and the first process are nobody of ours',
  async (number) => {
    const tree = new LocalProcessTree({
      id: 'no-such-run',
      pid: number,
      supervisor: number,
      startTimes: null,

      pipes: [],
    });
    expect(tree.members()).toEqual([]);
    expect(await tree.scan()).toEqual([]);
  },
);

test('neither this process nor one it descends from is ever a member, even when the run claims our group', () => {
  const tree = new LocalProcessTree({
    id: 'no-such-run',
    pid: process.pid,
    supervisor: process.ppid,
    startTimes: null,

    pipes: [],
  });
  const pids = tree.members().map(({ pid }) => pid);
  expect(pids).not.toContain(process.pid);
  expect(pids).not.toContain(process.ppid);
  expect(pids).not.toContain(1);
});
