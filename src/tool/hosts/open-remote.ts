import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { Host } from '../../engine/hosts/host.ts';
import type { Client } from '../../engine/hosts/remote/client.ts';
import { createContainerClient, createKubernetesClient } from '../../engine/hosts/remote/container.ts';
import { createRemoteHost } from '../../engine/hosts/remote/remote-host.ts';
import { createSlurmClient } from '../../engine/hosts/remote/slurm.ts';
import { createSshClient } from '../../engine/hosts/remote/ssh.ts';
import { findProgram } from '../../engine/shell/find-program.ts';
import { NacreError } from '../../errors.ts';
import type { ResolvedOptions } from '../options/resolved-options.ts';
import { expandHome } from './expand-home.ts';
import type { HostConfig, PoolConfig, SandboxConfig } from './host-config.ts';

type RemoteConfig = Exclude<HostConfig, SandboxConfig | PoolConfig>;

export interface RemoteCreation {
  readonly name: string;
  readonly options: ResolvedOptions;
}

const PROGRAMS: Readonly<Record<RemoteConfig['type'], string>> = {
  ssh: 'ssh',
  docker: 'docker',
  podman: 'podman',
  kubernetes: 'kubectl',
  slurm: 'srun',
};

/** A machine that a program of this one opens a stream to. */
export function openRemote(config: RemoteConfig, { name, options }: RemoteCreation): Host {
  const env = options.inheritedEnv;
  const program = findProgram(PROGRAMS[config.type], env.PATH ?? '');
  if (program === null) {
    const reason = `there is no ${PROGRAMS[config.type]} in PATH`;
    throw new NacreError('host_unreachable', { host: name, reason });
  }
  const shell = config.shell ?? 'bash';
  const client = createClient(config, { program, shell, env, home: env.HOME });
  return createRemoteHost({ name, client, shell, stateDirectory: options.stateDirectory, onExit: 'end' });
}

interface ClientParts {
  readonly program: string;
  readonly shell: string;
  readonly env: Readonly<Record<string, string>>;
  readonly home: string | undefined;
}

function createClient(config: RemoteConfig, parts: ClientParts): Client {
  const { options: more = [] } = 'options' in config ? config : {};
  switch (config.type) {
    case 'ssh': {
      const file = (path: string | undefined): string | null =>
        path === undefined ? null : expandHome(path, parts.home);
      return createSshClient({
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
      return createContainerClient({
        ...parts,
        container: config.container,
        user: config.user ?? null,
        options: more,
      });
    case 'kubernetes':
      return createKubernetesClient({ ...parts, ...config });
    case 'slurm':
      return createSlurmClient({ ...parts, options: more });
  }
}
