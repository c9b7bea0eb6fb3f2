import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { ProcReader } from '../../../../../src/engine/process/proc-reader.ts';
import { ProcessScanner } from '../../../../../src/engine/process/process-scanner.ts';
import { LocalProcessTree } from '../../../../../src/engine/process/process-tree.ts';
import {
  GraceDeadline,
  stopProcessTree,
  WakeSignal,
} from '../../../../../src/engine/process/stop-process-tree.ts';

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

test.each([
  ['TERM', 'echo ready; exec sleep 1000'],
  ['KILL', "trap '' TERM; echo ready; while :; do sleep 0.05; done"],
])(
  'without a readable /proc the group is stopped by %s, and the result says what is unknown',
  async (_, command) => {
    const child = spawn('bash', ['-c', command], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
    const exited = once(child, 'exit');
    await once(child.stdout, 'data');
    const none = new ProcReader('/nonexistent');
    const root = { id: 'unscanned', pid: child.pid ?? 0, supervisor: 0, startTimes: null, pipes: [] };
    const tree = new LocalProcessTree(root, new ProcessScanner(none), none);
    const parts = { grace: new GraceDeadline(300), wakeSignal: new WakeSignal() };
    try {
      const { notes } = await stopProcessTree(tree, parts);
      expect(notes).toEqual([expect.stringContaining('could not be listed')]);
      await exited;
      expect(child.signalCode).toMatch(/^SIG(TERM|KILL)$/);
    } finally {
      if (child.signalCode === null) child.kill('SIGKILL');
    }
  },
  60_000,
);
