import type { Host, Run, RunRequest } from '../../engine/hosts/host.ts';
import { createLocalHost } from '../../engine/hosts/local-host.ts';
import type { SandboxPreset } from '../../engine/hosts/sandbox/sandbox-spec.ts';
import type { ResolvedOptions } from '../options/bash-options.ts';
import type { HostConfig, PoolConfig, SandboxConfig } from '../options/host-config.ts';
import { findHostConfig, hostReturnsShellState } from './find-host.ts';

interface OpenHostOptions {
  /** Root of `local://`, writable for all commands on this machine. */
  readonly localDirectory: string;
  /** Directory of artifacts that a sandbox can read. */
  readonly sandboxArtifactsDirectory: string;
  readonly session: string;
}

/** The host of a session and its properties. */
interface SessionHost {
  readonly host: Host;
  /** Whether the session closes the host. */
  readonly isOwn: boolean;
  /** Start directory on a remote host; `null` for files on this machine. */
  readonly remoteDirectory: string | null;
  /** Files of this machine that commands see: all, selected ones, or none. */
  readonly visibleFiles: 'all' | 'shown' | 'none';
}

/** Opens the host that the options name. Loads and starts nothing before the first command. */
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
  const remoteDirectory = remoteDirectoryOf(config, options);
  return {
    host: opened,
    isOwn: true,
    remoteDirectory,
    visibleFiles: remoteDirectory === null ? 'shown' : 'none',
  };
}

interface HostCreation extends OpenHostOptions {
  readonly name: string;
  readonly options: ResolvedOptions;
}

/** `workspace+network` overrides a configured `network`; other presets keep it. */
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
    const { PoolHost } = await import('./pool-host.ts');
    return new PoolHost(config, { ...creation, open: (name) => openPoolMember(name, creation) });
  }
  const { openRemote } = await import('./open-remote.ts');
  return openRemote(config, creation);
}

function openPoolMember(name: string, { options, ...more }: HostCreation): Host {
  return openHost({ ...options, host: name }, more).host;
}

/** All members of a pool are of one kind. */
function remoteDirectoryOf(config: HostConfig, options: ResolvedOptions): string | null {
  if (config.type === 'sandbox') return null;
  if (config.type !== 'pool') return config.directory ?? '~';
  const [first = 'local'] = (config as PoolConfig).hosts;
  const member = findHostConfig(first, options.hosts);
  return member === null ? null : remoteDirectoryOf(member, options);
}

/** A host that is created when the first command starts. */
class LazyHost implements Host {
  readonly name: string;
  readonly bringsShell: boolean;
  readonly #create: () => Promise<Host>;
  #created: Promise<Host> | undefined;

  constructor(name: string, bringsShell: boolean, create: () => Promise<Host>) {
    this.name = name;
    this.bringsShell = bringsShell;
    this.#create = create;
  }

  async start(request: RunRequest): Promise<Run> {
    this.#created ??= this.#create();
    // Retry at the next call: a missing program may be installed by then.
    this.#created.catch(() => {
      this.#created = undefined;
    });
    return (await this.#created).start(request);
  }

  async close(): Promise<void> {
    const host = await this.#created?.catch(() => undefined);
    await host?.close();
  }
}

/** Creates the session's sandbox, or a wider one that was approved for a call. */
type CreateSandbox = (preset: SandboxPreset | null) => Promise<Host>;

/** The session's sandbox, with wider ones for approved calls. */
class EscalatingSandboxHost implements Host {
  readonly name: string;
  readonly bringsShell = true;
  readonly #create: CreateSandbox;
  readonly #created = new Map<SandboxPreset | null, Host>();

  constructor(name: string, create: CreateSandbox) {
    this.name = name;
    this.#create = create;
  }

  start(request: RunRequest): Promise<Run> {
    const preset = request.preset ?? null;
    const host = this.#created.get(preset) ?? new LazyHost(this.name, true, () => this.#create(preset));
    this.#created.set(preset, host);
    return host.start(request);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#created.values()].map((host) => host.close()));
  }
}
