import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';
import { hasExited, type ProcessStat, ProcReader } from '../../src/engine/process/proc-reader.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** A program and all that descends from it, and our end of its input. */
export interface Blocked {
  readonly pid: number;
  readonly members: () => ProcessStat[];
  readonly output: () => string;
  readonly send: (text: string) => void;
}

const PATIENCE = { timeout: 20_000, interval: 5 };

/** Starts a program whose standard input is a pipe that we hold open, and waits until it has said `ready`. */
export async function startWithPipe(command: readonly string[]): Promise<Blocked> {
  const fifo = join(temporaryDirectory(), 'input');
  execFileSync('bash', ['-c', 'mkfifo "$0"', fifo]);
  const fd = openSync(fifo, 'r+');
  onTestFinished(() => closeSync(fd));
  const open = 'exec "$@" <"$0"';
  const child = spawn('/bin/bash', ['-c', open, fifo, ...command], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const blocked = watch(child, (text) => void writeSync(fd, text));
  await vi.waitFor(() => expect(blocked.output()).toContain('ready'), PATIENCE);
  return blocked;
}

/** Starts a program with a terminal of its own, and waits until it has said `ready`. */
export async function startOnTerminal(command: readonly string[]): Promise<Blocked> {
  const script = `
import os, pty, sys, threading
pid, fd = pty.fork()
if pid == 0: os.execvp(sys.argv[1], sys.argv[1:])
print('pid', pid, flush=True)
def feed():
    for line in sys.stdin.buffer: os.write(fd, line)
threading.Thread(target=feed, daemon=True).start()
try:
    while True: os.write(1, os.read(fd, 4096))
except OSError: os._exit(0)`;
  const child = spawn('python3', ['-c', script, ...command], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  const holder = watch(child, (text) => void child.stdin?.write(text));
  await vi.waitFor(() => expect(holder.output()).toMatch(/pid \d+[\s\S]*ready/), PATIENCE);
  const pid = Number(/pid (\d+)/.exec(holder.output())?.[1]);
  onTestFinished(() => endGroup(pid));
  return { ...holder, pid, members: () => treeOf(pid) };
}

/** Resolves when nobody of them has run between two looks: they all wait for something. */
export async function untilStill(members: () => ProcessStat[]): Promise<void> {
  let before = '';
  await vi.waitFor(
    () => {
      const all = members();
      const now = all.map(({ pid }) => turnsOf(pid));
      const text = now.join();
      const same = text === before;
      before = text;
      expect(same && all.length > 0 && all.every(({ state }) => state !== 'R')).toBe(true);
    },
    { timeout: 20_000, interval: 50 },
  );
}

function watch(child: ChildProcess, send: (text: string) => void): Blocked {
  const pid = child.pid ?? 0;
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  onTestFinished(async () => {
    endGroup(pid);
    if (child.exitCode === null && child.signalCode === null)
      await new Promise((resolve) => child.once('exit', resolve));
  });
  return { pid, members: () => treeOf(pid), output: () => output, send };
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}

/** A process and all that descends from it. */
export function treeOf(pid: number): ProcessStat[] {
  const proc = new ProcReader();
  const all = proc.pids().flatMap((each) => proc.stat(each) ?? []);
  const found = new Map(all.filter((stat) => stat.pid === pid).map((stat) => [stat.pid, stat]));
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const stat of all) if (found.has(stat.parent)) found.set(stat.pid, stat);
  }
  return [...found.values()].filter((stat) => !hasExited(stat));
}

function turnsOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/schedstat`, 'latin1');
  } catch {
    return '';
  }
}
