import type { Host, Run, RunRequest } from '../../engine/hosts/host.ts';
import { createLocalHost } from '../../engine/hosts/local.ts';
import type { ResolvedOptions } from '../options/resolved-options.ts';
import { findHost } from './find-host.ts';
import type { HostConfig, PoolConfig } from './host-config.ts';

export interface OpenOptions {
  /** The session's own folder: `local://`, writable wherever commands run on this machine. */
  readonly localDirectory: string;
  readonly session: string;
}

/** Where the commands of a session run, and what follows from that. */
export interface SessionHost {
  readonly host: Host;
  /** Whether `close` is ours to call. */
  readonly isOwn: boolean;
  /** Where a session starts whose files are not on this machine; `null` when they are. */
  readonly directory: string | null;
}

/** Opens the host that the options name. Nothing is loaded or started before the first command. */
export function openHost(options: ResolvedOptions, more: OpenOptions): SessionHost {
  const { host, stateDirectory } = options;
  if (host !== null && typeof host !== 'string') return { host, isOwn: false, directory: null };
  const config = host === null ? null : findHost(host, options.hosts);
  if (config === null)
    return {
      host: createLocalHost({ stateDirectory, onExit: 'end', readyShells: options.readyShells }),
      isOwn: true,
      directory: null,
    };
  const name = host ?? 'local';
  const opened = new LateHost(name, () => create(config, { ...more, name, options }));
  return { host: opened, isOwn: true, directory: directoryOf(config, options) };
}

interface Creation extends OpenOptions {
  readonly name: string;
  readonly options: ResolvedOptions;
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

/** A host that is made when it is needed. */
class LateHost implements Host {
  readonly name: string;
  readonly #make: () => Promise<Host>;
  #made: Promise<Host> | undefined;

  constructor(name: string, make: () => Promise<Host>) {
    this.name = name;
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
