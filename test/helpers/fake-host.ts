import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Host, Run, RunEnd, RunRequest } from '../../src/engine/hosts/host.ts';
import type { StreamName } from '../../src/engine/run/run-files.ts';
import type { StopReason } from '../../src/engine/run/run-request.ts';

/** A run that a test plays: it says what the command prints and how it ends. */
export interface FakeRun extends Run {
  readonly request: RunRequest;
  /** What was asked of it from outside, in order. */
  readonly heard: readonly string[];
  print(text: string, stream?: StreamName): void;
  end(end?: Partial<RunEnd>): void;
}

export interface FakeHost extends Host {
  readonly runs: readonly FakeRun[];
  readonly closed: boolean;
}

/** What a command does once it is started. */
export type Behaviour = (run: FakeRun) => void;

export interface FakeHostOptions {
  readonly directory: string;
  /** Without one every command ends at once with success and prints nothing. */
  readonly behave?: Behaviour;
  /** Called while the command is being started. */
  readonly starting?: () => void;
  /** Thrown by `start` instead of starting. */
  readonly fail?: Error;
}

/** A host in memory: keeps the contract of the real ones, except that nothing runs. */
export function createFakeHost(options: FakeHostOptions): FakeHost {
  const { directory, behave = (run) => run.end(), starting, fail } = options;
  const runs: FakeRun[] = [];
  let closed = false;
  return {
    name: 'fake',
    runs,
    get closed() {
      return closed;
    },
    start: async (request) => {
      if (fail !== undefined) throw fail;
      starting?.();
      const run = createFakeRun(request, { id: `fake${runs.length}`, directory });
      runs.push(run);
      // As on a real host, output comes after `start` has resolved.
      setImmediate(() => behave(run));
      return run;
    },
    close: async () => {
      closed = true;
      await Promise.all(runs.map((run) => run.stop('shutdown')));
    },
  };
}

function createFakeRun(request: RunRequest, place: { id: string; directory: string }): FakeRun {
  const heard: string[] = [];
  const directory = join(place.directory, 'runs', place.id);
  mkdirSync(directory, { recursive: true });
  const { promise, resolve } = createSettled<RunEnd>();
  const end = (with_: Partial<RunEnd> = {}): void =>
    resolve({
      ending: { kind: 'exited', exitCode: 0 },
      wallTimeMs: 5,
      leftovers: [],
      survivors: [],
      pipeStatus: null,
      notes: [],
      ...with_,
    });
  return {
    id: place.id,
    directory,
    pid: 4242,
    startedAt: Date.now(),
    ended: promise,
    request,
    heard,
    end,
    print: (text, stream = 'out') => void request.onBytes?.(stream, Buffer.from(text)),
    stop: async (reason: StopReason, graceMs?: number) => {
      heard.push(`stop ${reason}${graceMs === undefined ? '' : ` ${graceMs}`}`);
      end({ ending: { kind: 'stopped', reason, forced: false } });
      await promise;
    },
    signal: (signal) => void heard.push(`signal ${signal}`),
    send: async (bytes) => void heard.push(`send ${bytes}`),
    endInput: async () => void heard.push('end input'),
    resize: async ({ columns, rows }) => void heard.push(`resize ${columns} ${rows}`),
    abandon: () => void heard.push('abandon'),
    release: () => void heard.push('release'),
  };
}

function createSettled<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
