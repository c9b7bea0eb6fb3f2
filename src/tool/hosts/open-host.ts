import type { Host } from '../../engine/hosts/host.ts';
import { createLocalHost } from '../../engine/hosts/local.ts';
import type { SandboxPreset } from '../../engine/hosts/sandbox/sandbox-spec.ts';
import type { ResolvedOptions } from '../options/resolved-options.ts';
import { bringsShell } from './brings-shell.ts';
import { findHost } from './find-host.ts';
import type { HostConfig, PoolConfig, SandboxConfig } from './host-config.ts';
import { LateHost } from './late-host.ts';
import { WideningHost } from './widening-host.ts';

export interface OpenOptions {
  /** The session's own folder: `local://`, writable wherever commands run on this machine. */
  readonly localDirectory: string;
  /** What a sandbox may read of the session's artifacts. */
  readonly shownDirectory: string;
  readonly session: string;
}

/** Where the commands of a session run, and what follows from that. */
export interface SessionHost {
  readonly host: Host;
  /** Whether `close` is ours to call. */
  readonly isOwn: boolean;
  /** Where a session starts whose files are not on this machine; `null` when they are. */
  readonly directory: string | null;
  /** Of our own files: all of them, only what is shown to it, or none. */
  readonly sees: 'all' | 'shown' | 'none';
}

/** Opens the host that the options name. Nothing is loaded or started before the first command. */
export function openHost(options: ResolvedOptions, more: OpenOptions): SessionHost {
  const { host, stateDirectory } = options;
  if (host !== null && typeof host !== 'string') return { host, isOwn: false, directory: null, sees: 'all' };
  const config = host === null ? null : findHost(host, options.hosts);
  if (config === null)
    return {
      host: createLocalHost({ stateDirectory, onExit: 'end', readyShells: options.readyShells }),
      isOwn: true,
      directory: null,
      sees: 'all',
    };
  const name = host ?? 'local';
  const creation = { ...more, name, options };
  const opened =
    config.type === 'sandbox'
      ? new WideningHost(name, (preset) => create(preset === null ? config : widen(config, preset), creation))
      : new LateHost(name, bringsShell(name, options.hosts), () => create(config, creation));
  const directory = directoryOf(config, options);
  return { host: opened, isOwn: true, directory, sees: directory === null ? 'shown' : 'none' };
}

interface Creation extends OpenOptions {
  readonly name: string;
  readonly options: ResolvedOptions;
}

/** The same sandbox with what a preset gives beyond it. */
function widen(config: SandboxConfig, preset: SandboxPreset): SandboxConfig {
  const { network, ...rest } = config;
  return preset === 'workspace+network' || network === undefined
    ? { ...rest, preset }
    : { ...rest, preset, network };
}

async function create(config: HostConfig, creation: Creation): Promise<Host> {
  if (config.type === 'sandbox') {
    const { openSandbox } = await import('./open-sandbox.ts');
    return openSandbox(config, creation);
  }
  if (config.type === 'pool') {
    const { openPool } = await import('./open-pool.ts');
    return openPool(config, { ...creation, open: (name) => openMember(name, creation) });
  }
  const { openRemote } = await import('./open-remote.ts');
  return openRemote(config, creation);
}

function openMember(name: string, { options, ...more }: Creation): Host {
  return openHost({ ...options, host: name }, more).host;
}

/** Of a pool the first member speaks for all: they must be of one kind. */
function directoryOf(config: HostConfig, options: ResolvedOptions): string | null {
  if (config.type === 'sandbox') return null;
  if (config.type !== 'pool') return config.directory ?? '~';
  const [first = 'local'] = (config as PoolConfig).hosts;
  const member = findHost(first, options.hosts);
  return member === null ? null : directoryOf(member, options);
}
