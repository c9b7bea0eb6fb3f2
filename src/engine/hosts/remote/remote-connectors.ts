import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shellQuote } from '../../text/shell-quote.ts';

/** A program that connects to a bash on a remote host: stdin, stdout and stderr are those of the bash. */
export interface RemoteConnector {
  /** The command line; each connection runs it once. */
  readonly argv: readonly string[];
  /** The environment of the program. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Shell assignments for the remote client. `nacre_opens` names a script that opens connections in another way
   * than `argv`.
   */
  readonly openScript?: string;
  /** Whether background jobs wait in a queue: their time limit then starts with the job. */
  readonly usesQueue?: boolean;
  /** Closes the shared connection, if there is one. */
  close(): Promise<void>;
}

/** Variables with the user's keys and settings that connector programs read. */
const CONNECTOR_VARIABLES = (
  'HOME PATH USER LOGNAME LANG SSH_AUTH_SOCK KRB5CCNAME XDG_RUNTIME_DIR TMPDIR KUBECONFIG DOCKER_HOST DOCKER_CONFIG ' +
  'DOCKER_CONTEXT DOCKER_TLS_VERIFY DOCKER_CERT_PATH CONTAINER_HOST SLURM_CONF SLURM_JOB_ID MUNGE_SOCKET'
).split(' ');

function connectorEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    CONNECTOR_VARIABLES.flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Skips the user's rc files, which may print, prompt or be slow. */
const REMOTE_SHELL_ARGUMENTS: readonly string[] = ['--noprofile', '--norc'];

interface SshOptions {
  readonly program: string;
  readonly destination: string;
  readonly port: number | null;
  readonly identityFile: string | null;
  readonly configFile: string | null;
  readonly options: readonly string[];
  readonly shell: string;
  /** Directory of the control socket; short, because a socket path is limited to about 100 characters. */
  readonly socketDirectory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const PERSIST_SECONDS = 60;

/** Creates a connector that uses the system's OpenSSH with one shared connection and without prompts. */
export function createSshConnector(options: SshOptions): RemoteConnector {
  mkdirSync(options.socketDirectory, { recursive: true, mode: 0o700 });
  const control = join(options.socketDirectory, '%C');
  const base = [
    '-S',
    control,
    ...(options.configFile === null ? [] : ['-F', options.configFile]),
    ...(options.port === null ? [] : ['-p', String(options.port)]),
    ...(options.identityFile === null ? [] : ['-i', options.identityFile]),
    // ssh uses the first value of an option, so the user's options precede these.
    ...options.options.flatMap((option) => ['-o', option]),
  ];
  const defaults =
    `ControlMaster=auto ControlPersist=${PERSIST_SECONDS} BatchMode=yes ConnectTimeout=15 ServerAliveInterval=5 ` +
    'ServerAliveCountMax=2 LogLevel=ERROR ForwardX11=no ForwardAgent=no ClearAllForwardings=yes PermitLocalCommand=no ' +
    'RequestTTY=no RemoteCommand=none';
  const env = connectorEnvironment(options.env);
  const argv = [
    options.program,
    '-T',
    ...base,
    ...defaults.split(' ').flatMap((option) => ['-o', option]),
    '--',
    options.destination,
    ['exec', options.shell, ...REMOTE_SHELL_ARGUMENTS].join(' '),
  ];
  return {
    argv,
    env,
    close: () =>
      new Promise((resolve) => {
        // `stop` accepts no new sessions and ends the master with its last session, so jobs keep their
        // connections.
        const child = spawn(options.program, [...base, '-O', 'stop', '--', options.destination], {
          env,
          stdio: 'ignore',
          timeout: 2_000,
        });
        child.on('error', () => resolve());
        child.on('close', () => resolve());
      }),
  };
}

interface ConnectorProgram {
  readonly program: string;
  readonly shell: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface ContainerOptions extends ConnectorProgram {
  readonly container: string;
  readonly user: string | null;
  /** Arguments before `exec`. */
  readonly options: readonly string[];
}

/**
 * Creates a connector for `docker exec` or `podman exec`. Killing the client does not stop the process in the
 * container.
 */
export function createContainerConnector(options: ContainerOptions): RemoteConnector {
  const { program, shell, env, container, user } = options;
  const as = user === null ? [] : ['--user', user];
  const words = ['exec', '-i', ...as, container, shell, ...REMOTE_SHELL_ARGUMENTS];
  return toConnector(env, [program, ...options.options, ...words]);
}

interface KubernetesOptions extends ConnectorProgram {
  readonly pod: string;
  readonly container?: string;
  readonly namespace?: string;
  readonly context?: string;
}

/** Creates a connector for `kubectl exec`. Killing the client does not stop the process in the pod. */
export function createKubernetesConnector(options: KubernetesOptions): RemoteConnector {
  const { program, shell, env, pod, container, namespace, context } = options;
  return toConnector(env, [
    program,
    ...(context === undefined ? [] : ['--context', context]),
    ...(namespace === undefined ? [] : ['--namespace', namespace]),
    ...['exec', '-i', pod],
    ...(container === undefined ? [] : ['--container', container]),
    ...['--', shell, ...REMOTE_SHELL_ARGUMENTS],
  ]);
}

function toConnector(env: ContainerOptions['env'], words: readonly string[]): RemoteConnector {
  return { argv: words, env: connectorEnvironment(env), close: () => Promise.resolve() };
}

const SLURM_SCRIPT = fileURLToPath(new URL('./slurm.sh', import.meta.url));

interface SlurmOptions {
  readonly shell: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Arguments for `srun` and `sbatch`. */
  readonly options: readonly string[];
}

/**
 * Creates a connector for a Slurm cluster. A foreground run is a job of `srun`, a background run a job of
 * `sbatch`. Home directories are shared by all nodes, so the output of a finished job can be read here.
 */
export function createSlurmConnector({ shell, env, options }: SlurmOptions): RemoteConnector {
  return {
    argv: [shell, ...REMOTE_SHELL_ARGUMENTS],
    env: connectorEnvironment(env),
    openScript: `nacre_slurm=(${options.map(shellQuote).join(' ')})\nnacre_opens=${shellQuote(SLURM_SCRIPT)} nacre_queues=1\n`,
    usesQueue: true,
    close: () => Promise.resolve(),
  };
}
