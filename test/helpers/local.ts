import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, vi } from 'vitest';
import type { Host, Run, RunRequest } from '../../src/engine/hosts/host.ts';
import { createLocalHost } from '../../src/engine/hosts/local-host.ts';
import { READY_SHELLS, waitForReady } from './ready.ts';
import { removeDirectory } from './remove-directory.ts';

/** A local host of a test file's own: own state, own marker in the environment, and nobody left at the end. */
export interface LocalBench {
  readonly host: Host;
  readonly state: string;
  readonly marker: string;
  readonly request: (command: string, more?: Partial<RunRequest>) => RunRequest;
  /** Starts a command and collects what it prints. */
  readonly start: (command: string, more?: Partial<RunRequest>) => Promise<Watched>;
  /** Starts a command that says `ready`, and waits for it. */
  readonly startReady: (command: string, more?: Partial<RunRequest>) => Promise<Watched>;
}

export interface Watched {
  readonly run: Run;
  readonly output: () => string;
  readonly errors: () => string;
}

/** Call it at the top of a test file. */
export function useLocalHost(readyShells: number = READY_SHELLS ?? 0): LocalBench {
  const state = mkdtempSync(join(tmpdir(), 'nacre-test-'));
  const marker = `NACRE_TEST_MARKER=${randomUUID()}`;
  const [name = '', value = ''] = marker.split('=');
  const host = createLocalHost({ stateDirectory: state, onExit: 'end', readyShells });
  const base = { ...baseEnvironment(), [name]: value };
  host.prepare?.(() => ({
    shell: '/bin/bash',
    cwd: tmpdir(),
    env: base,
    streams: 'merged',
    baseEnvironment: null,
  }));

  afterAll(async () => {
    await host.close();
    await vi.waitFor(() => expect(findMarked(marker)).toEqual([]), { timeout: 20_000 });
    removeDirectory(state);
  });

  const request = (command: string, more: Partial<RunRequest> = {}): RunRequest => ({
    command,
    shell: '/bin/bash',
    cwd: tmpdir(),
    input: { kind: 'empty' },
    streams: 'merged',
    timeoutMs: null,
    graceMs: 2000,
    jobTimeoutMs: 86_400_000,
    watcher: 'reader',
    keep: { maxBytes: 1024 ** 3, onFull: 'drop_middle', minFreeBytes: 0 },
    pipeStatus: false,
    terminal: null,
    baseEnvironment: null,
    preamble: '',
    atExit: '',
    asked: {},
    ...more,
    env: { ...base, ...more.env },
  });

  const start = async (command: string, more: Partial<RunRequest> = {}): Promise<Watched> => {
    const chunks: Record<string, Buffer[]> = { out: [], err: [] };
    const onBytes: RunRequest['onBytes'] = (stream, chunk) => void chunks[stream]?.push(Buffer.from(chunk));
    if (readyShells > 0) await waitForReady(state);
    const run = await host.start({ ...request(command, more), onBytes });
    const read = (stream: string): string => Buffer.concat(chunks[stream] ?? []).toString('utf8');
    return { run, output: () => read('out'), errors: () => read('err') };
  };

  const startReady = async (command: string, more: Partial<RunRequest> = {}): Promise<Watched> => {
    const watched = await start(command, more);
    await vi.waitFor(() => expect(watched.output()).toContain('ready'), { timeout: 20_000, interval: 5 });
    return watched;
  };

  return { host, state, marker, request, start, startReady };
}

function baseEnvironment(): Record<string, string> {
  const { PATH = '/usr/bin:/bin', HOME = '/' } = process.env;
  return { PATH, HOME };
}

/** The pids of all processes that carry an assignment in their environment, us excepted. */
export function findMarked(assignment: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && isMarked(pid, assignment));
}

function isMarked(pid: number, assignment: string): boolean {
  try {
    const [, state] = /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? [];
    return state !== 'Z' && readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(assignment);
  } catch {
    return false;
  }
}
