import { existsSync, mkdtempSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import type { Host, Run, RunRequest } from '../../src/engine/hosts/host.ts';
import { createLocalHost } from '../../src/engine/hosts/local-host.ts';
import { createSshConnector } from '../../src/engine/hosts/remote/remote-connectors.ts';
import { createRemoteHost } from '../../src/engine/hosts/remote/remote-host.ts';
import { createSandboxHost } from '../../src/engine/hosts/sandbox/sandbox-host.ts';
import { DEFAULT_SANDBOX_LIMITS, type SandboxSpec } from '../../src/engine/hosts/sandbox/sandbox-spec.ts';
import { removeDirectory } from '../helpers/remove-directory.ts';
import { type Sshd, startSshd } from './sshd.ts';

export type HostName = 'local' | 'sandbox' | 'ssh' | 'docker' | 'podman' | 'kubernetes' | 'slurm';

/** Opens a host that the caller creates and closes. */
export type Open = (places: { readonly state: string; readonly workspace: string }) => Promise<Opened>;

export interface Opened {
  readonly host: Host;
  stop(): void;
}

/** What a host's tests need beyond Node and bash and is missing; `null` if nothing is missing. */
export function whyNot(name: HostName): string | null {
  if (name === 'sandbox' && !existsSync('/usr/bin/bwrap')) return 'bubblewrap is not installed';
  if (name === 'ssh' && !existsSync('/usr/sbin/sshd')) return 'openssh-server is not installed';
  if (name === 'docker' && !existsSync('/usr/sbin/dockerd')) return 'docker.io is not installed';
  if (name === 'podman' && !existsSync('/usr/bin/podman')) return 'podman is not installed';
  if (name === 'slurm' && !existsSync('/usr/sbin/slurmctld')) return 'slurm-wlm is not installed';
  return null;
}

/** In CI nothing is skipped: there a missing program is a failure. */
export function isSkipped(name: HostName): boolean {
  return whyNot(name) !== null && process.env.NACRE_TEST_NO_SKIP !== '1';
}

export interface Watched {
  readonly run: Run;
  readonly output: () => Buffer;
  readonly errors: () => Buffer;
}

/** The host of one test file, with its state directory and workspace. */
export interface HostBench {
  readonly host: () => Host;
  readonly sshd: () => Sshd;
  readonly workspace: string;
  readonly state: string;
  readonly request: (command: string, more?: Partial<RunRequest>) => RunRequest;
  readonly start: (command: string, more?: Partial<RunRequest>) => Promise<Watched>;
  readonly startReady: (command: string, more?: Partial<RunRequest>) => Promise<Watched>;
  /** Runs a command to its end and returns its output. */
  readonly ask: (command: string, more?: Partial<RunRequest>) => Promise<string>;
}

export function useHost(name: HostName, spec: Partial<SandboxSpec> = {}, open?: Open): HostBench {
  const state = mkdtempSync(join(tmpdir(), 'nacre-test-'));
  const workspace = mkdtempSync(join(tmpdir(), 'nacre-work-'));
  let host: Host | undefined;
  let sshd: Sshd | undefined;
  let opened: Opened | undefined;

  beforeAll(async () => {
    if (name === 'ssh') sshd = await startSshd();
    opened = await open?.({ state, workspace });
    host = opened?.host ?? create(name, { state, workspace, sshd, spec });
  });
  afterAll(async () => {
    await host?.close();
    sshd?.stop();
    opened?.stop();
    removeDirectory(workspace);
    await vi.waitFor(() => removeDirectory(state), { timeout: 20_000 });
  });

  const request: HostBench['request'] = (command, more) => toRequest(command, { cwd: workspace, ...more });
  const start = async (command: string, more: Partial<RunRequest> = {}): Promise<Watched> => {
    const chunks: Record<string, Buffer[]> = { out: [], err: [] };
    const onBytes: RunRequest['onBytes'] = (stream, chunk) => void chunks[stream]?.push(Buffer.from(chunk));
    const run = await theHost().start({ ...request(command, more), onBytes });
    const read = (stream: string): Buffer => Buffer.concat(chunks[stream] ?? []);
    return { run, output: () => read('out'), errors: () => read('err') };
  };
  const theHost = (): Host => {
    if (host === undefined) throw new Error('the host is not there yet');
    return host;
  };
  return {
    host: theHost,
    sshd: () => sshd as Sshd,
    ...{ workspace, state, request, start },
    startReady: async (command, more) => {
      const watched = await start(command, more);
      await vi.waitFor(() => expect(watched.output().toString()).toContain('ready'), {
        timeout: 30_000,
        interval: 5,
      });
      return watched;
    },
    ask: async (command, more) => {
      const { run, output } = await start(command, more);
      await run.ended;
      return output().toString();
    },
  };
}

/** A request with defaults for all fields. */
export function toRequest(command: string, more: Partial<RunRequest> & Pick<RunRequest, 'cwd'>): RunRequest {
  return {
    ...{ command, shell: '/bin/bash', input: { kind: 'empty' }, streams: 'merged' },
    ...{ terminal: null, timeoutMs: null, graceMs: 2000, jobTimeoutMs: 86_400_000, watcher: 'reader' },
    keep: { maxBytes: 1024 ** 3, onFull: 'drop_middle', minFreeBytes: 0 },
    ...{ pipeStatus: false, baseEnvironment: null, preamble: '', atExit: '', asked: {} },
    ...more,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: homedir(), ...more.env },
  };
}

interface Places {
  readonly state: string;
  readonly workspace: string;
  readonly sshd: Sshd | undefined;
  readonly spec: Partial<SandboxSpec>;
}

function create(name: HostName, { state, workspace, sshd, spec }: Places): Host {
  const onExit = 'end' as const;
  if (name === 'local') return createLocalHost({ stateDirectory: state, onExit });
  if (name === 'sandbox')
    return createSandboxHost({
      spec: sandboxSpec({ state, workspace, spec }),
      bwrap: '/usr/bin/bwrap',
      onExit,
    });
  const client = createSshConnector({
    ...{ program: '/usr/bin/ssh', shell: 'bash', configFile: '/dev/null', env: process.env },
    destination: sshd?.destination ?? '',
    port: sshd?.port ?? 0,
    identityFile: sshd?.identityFile ?? null,
    options: sshd?.options ?? [],
    socketDirectory: join(sshd?.directory ?? state, 'c'),
  });
  return createRemoteHost({ name: 'ssh', connector: client, shell: 'bash', stateDirectory: state, onExit });
}

function sandboxSpec({ state, workspace, spec }: Omit<Places, 'sshd'>): SandboxSpec {
  return {
    workspace,
    isWorkspaceWritable: true,
    ...{ writable: [], readable: [], hidden: [], network: 'off', unixSockets: false },
    limits: DEFAULT_SANDBOX_LIMITS,
    home: homedir(),
    stateDirectory: state,
    ...spec,
  };
}
