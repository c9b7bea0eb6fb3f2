import type { Host, Run, RunRequest } from '../../engine/hosts/host.ts';
import { createLocalHost } from '../../engine/hosts/local-host.ts';
import type { SandboxPreset } from '../../engine/hosts/sandbox/sandbox-spec.ts';
import type { ResolvedOptions } from '../options/bash-options.ts';
import type { HostConfig, PoolConfig, SandboxConfig } from '../options/host-config.ts';
import { findHostConfig, hostReturnsShellState } from './find-host.ts';

export interface OpenHostOptions {
  /** The session's own folder: `local://`, writable wherever commands run on this machine. */
  readonly localDirectory: string;
  /** What a sandbox may read of the session's artifacts. */
  readonly sandboxArtifactsDirectory: string;
  readonly session: string;
}

/** Where the commands of a session run, and what follows from that. */
export interface SessionHost {
  readonly host: Host;
  /** Whether `close` is ours to call. */
  readonly isOwn: boolean;
  /** Where a session starts whose files are not on this machine; `null` when they are. */
  readonly remoteDirectory: string | null;
  /** Of our own files: all of them, only what is shown to it, or none. */
  readonly visibleFiles: 'all' | 'shown' | 'none';
}

/** Opens the host that the options name. Nothing is loaded or started before the first command. */
export function openHost(options: ResolvedOptions, more: OpenHostOptions): SessionHost {
  const { host, stateDirectory } = options;
  if (host !== null && typeof host !== 'string')
    return { host, isOwn: false, remoteDirectory: null, visibleFiles: 'all' };
  const config = host === null ? null : findHostConfig(host, options.hosts);
  if (config === null)
    return {
      host: createLocalHost({ stateDirectory, onExit: 'end', readyShells: options.readyShells }),
      isOwn: true,
      remoteDirectory: null,
      visibleFiles: 'all',
    };
  const name = host ?? 'local';
  const creation = { ...more, name, options };
  const opened =
    config.type === 'sandbox'
      ? new EscalatingSandboxHost(name, (preset) =>
          createHost(preset === null ? config : applySandboxPreset(config, preset), creation),
        )
      : new LazyHost(name, hostReturnsShellState(name, options.hosts), () => createHost(config, creation));
  const directory = remoteDirectoryOf(config, options);
  return {
    host: opened,
    isOwn: true,
    remoteDirectory: directory,
    visibleFiles: directory === null ? 'shown' : 'none',
  };
}

interface HostCreation extends OpenHostOptions {
  readonly name: string;
  readonly options: ResolvedOptions;
}

/** The same sandbox with what a preset gives beyond it. */
function applySandboxPreset(config: SandboxConfig, preset: SandboxPreset): SandboxConfig {
  const { network, ...rest } = config;
  return preset === 'workspace+network' || network === undefined
    ? { ...rest, preset }
    : { ...rest, preset, network };
}

async function createHost(config: HostConfig, creation: HostCreation): Promise<Host> {
  if (config.type === 'sandbox') {
    const { openSandbox } = await import('./open-sandbox.ts');
    return openSandbox(config, creation);
  }
  if (config.type === 'pool') {
    const { openPool } = await import('./open-pool.ts');
    return openPool(config, { ...creation, open: (name) => openPoolMember(name, creation) });
  }
  const { openRemote } = await import('./open-remote.ts');
  return openRemote(config, creation);
}

function openPoolMember(name: string, { options, ...more }: HostCreation): Host {
  return openHost({ ...options, host: name }, more).host;
}

/** Of a pool the first member speaks for all: they must be of one kind. */
function remoteDirectoryOf(config: HostConfig, options: ResolvedOptions): string | null {
  if (config.type === 'sandbox') return null;
  if (config.type !== 'pool') return config.directory ?? '~';
  const [first = 'local'] = (config as PoolConfig).hosts;
  const member = findHostConfig(first, options.hosts);
  return member === null ? null : remoteDirectoryOf(member, options);
}

/** A host that is made when it is needed. */
export class LazyHost implements Host {
  readonly name: string;
  readonly bringsShell: boolean;
  readonly #make: () => Promise<Host>;
  #made: Promise<Host> | undefined;

  constructor(name: string, bringsShell: boolean, make: () => Promise<Host>) {
    this.name = name;
    this.bringsShell = bringsShell;
    this.#make = make;
  }

  async start(request: RunRequest): Promise<Run> {
    this.#made ??= this.#make();
    // One that could not be made may be there at the next call: a program installed, a key added.
    this.#made.catch(() => {
      this.#made = undefined;
    });
    return (await this.#made).start(request);
  }

  async close(): Promise<void> {
    const made = await this.#made?.catch(() => undefined);
    await made?.close();
  }
}

/** Makes a sandbox: the session's own, or one that a person allowed a call to have. */
export type CreateSandbox = (preset: SandboxPreset | null) => Promise<Host>;

/** A session's sandbox, and beside it wider ones for the calls that were allowed one. */
export class EscalatingSandboxHost implements Host {
  readonly name: string;
  readonly bringsShell = true;
  readonly #make: CreateSandbox;
  readonly #made = new Map<SandboxPreset | null, Host>();

  constructor(name: string, make: CreateSandbox) {
    this.name = name;
    this.#make = make;
  }

  start(request: RunRequest): Promise<Run> {
    const preset = request.preset ?? null;
    const host = this.#made.get(preset) ?? new LazyHost(this.name, true, () => this.#make(preset));
    this.#made.set(preset, host);
    return host.start(request);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#made.values()].map((host) => host.close()));
  }
}
