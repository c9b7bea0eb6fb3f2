import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { Host } from '../../engine/hosts/host.ts';
import type { RemoteConnector } from '../../engine/hosts/remote/remote-connectors.ts';
import {
  createContainerConnector,
  createKubernetesConnector,
  createSlurmConnector,
  createSshConnector,
} from '../../engine/hosts/remote/remote-connectors.ts';
import { createRemoteHost } from '../../engine/hosts/remote/remote-host.ts';
import { findProgram } from '../../engine/shell/find-program.ts';
import { NacreError } from '../../errors.ts';
import type { ResolvedOptions } from '../options/bash-options.ts';
import type { HostConfig, PoolConfig, SandboxConfig } from '../options/host-config.ts';
import { expandHome } from '../options/host-config.ts';

type RemoteConfig = Exclude<HostConfig, SandboxConfig | PoolConfig>;

interface RemoteCreation {
  readonly name: string;
  readonly options: ResolvedOptions;
}

const CLIENT_PROGRAMS: Readonly<Record<RemoteConfig['type'], string>> = {
  ssh: 'ssh',
  docker: 'docker',
  podman: 'podman',
  kubernetes: 'kubectl',
  slurm: 'srun',
};

/** Opens a remote host that is reached through a client program on this machine. */
export function openRemote(config: RemoteConfig, { name, options }: RemoteCreation): Host {
  const env = options.inheritedEnv;
  const program = findProgram(CLIENT_PROGRAMS[config.type], env.PATH ?? '');
  if (program === null) {
    const reason = `there is no ${CLIENT_PROGRAMS[config.type]} in PATH`;
    throw new NacreError('host_unreachable', { host: name, reason });
  }
  const shell = config.shell ?? 'bash';
  return createRemoteHost({
    name,
    connector: createConnector(config, { program, shell, env, home: env.HOME }),
    shell,
    stateDirectory: options.stateDirectory,
    onExit: 'end',
  });
}

interface ClientParts {
  readonly program: string;
  readonly shell: string;
  readonly env: Readonly<Record<string, string>>;
  readonly home: string | undefined;
}

function createConnector(config: RemoteConfig, parts: ClientParts): RemoteConnector {
  const { options: more = [] } = 'options' in config ? config : {};
  switch (config.type) {
    case 'ssh': {
      const file = (path: string | undefined): string | null =>
        path === undefined ? null : expandHome(path, parts.home);
      return createSshConnector({
        ...parts,
        destination: config.destination,
        port: config.port ?? null,
        identityFile: file(config.identityFile),
        configFile: file(config.configFile),
        options: more,
        socketDirectory: join(tmpdir(), `nacre-ssh-${userInfo().uid}`),
      });
    }
    case 'docker':
    case 'podman':
      return createContainerConnector({
        ...parts,
        container: config.container,
        user: config.user ?? null,
        options: more,
      });
    case 'kubernetes':
      return createKubernetesConnector({ ...parts, ...config });
    case 'slurm':
      return createSlurmConnector({ ...parts, options: more });
  }
}
