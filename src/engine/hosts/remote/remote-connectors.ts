import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shellQuote } from '../../text/shell-quote.ts';

/** A program that opens a stream to a bash somewhere else: its stdin, stdout and stderr are that bash's. */
export interface RemoteConnector {
  /** The whole command line; every connection runs it once. */
  readonly argv: readonly string[];
  /** What the program itself needs of the environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Shell assignments, among them `nacre_opens`, a script that opens connections in another way than by these words. */
  readonly openScript?: string;
  /** Whether what nobody waits for is put into a queue: then its time is counted from when it begins. */
  readonly usesQueue?: boolean;
  /** Ends what was kept open for the next connection. */
  close(): Promise<void>;
}

/** What such programs look for: the user's keys and settings, and nothing of the command's. */
const CONNECTOR_VARIABLES = [
  ...['HOME', 'PATH', 'USER', 'LOGNAME', 'LANG', 'SSH_AUTH_SOCK', 'KRB5CCNAME', 'XDG_RUNTIME_DIR', 'TMPDIR'],
  ...[
    'KUBECONFIG',
    'DOCKER_HOST',
    'DOCKER_CONFIG',
    'DOCKER_CONTEXT',
    'DOCKER_TLS_VERIFY',
    'DOCKER_CERT_PATH',
  ],
  ...['CONTAINER_HOST', 'SLURM_CONF', 'SLURM_JOB_ID', 'MUNGE_SOCKET'],
];

export function connectorEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    CONNECTOR_VARIABLES.flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** The bash over there, without its user's files: these may print, ask and take long. */
export const REMOTE_SHELL_ARGUMENTS: readonly string[] = ['--noprofile', '--norc'];

export interface SshOptions {
  readonly program: string;
  readonly destination: string;
  readonly port: number | null;
  readonly identityFile: string | null;
  readonly configFile: string | null;
  readonly options: readonly string[];
  readonly shell: string;
  /** Where the shared connection's socket lies; short, for its path has a limit of about 100 characters. */
  readonly socketDirectory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How long a connection stays open for the next command. */
const PERSIST_SECONDS = 60;

/** The system's OpenSSH with one shared connection; it asks nothing, and checks host keys as its settings say. */
export function createSshConnector(options: SshOptions): RemoteConnector {
  mkdirSync(options.socketDirectory, { recursive: true, mode: 0o700 });
  const control = join(options.socketDirectory, '%C');
  const base = [
    ...['-S', control],
    ...(options.configFile === null ? [] : ['-F', options.configFile]),
    ...(options.port === null ? [] : ['-p', String(options.port)]),
    ...(options.identityFile === null ? [] : ['-i', options.identityFile]),
    // What is given first counts with ssh: the user's own come before ours.
    ...options.options.flatMap((option) => ['-o', option]),
  ];
  const ours = [
    ...['ControlMaster=auto', `ControlPersist=${PERSIST_SECONDS}`, 'BatchMode=yes', 'ConnectTimeout=15'],
    ...[
      'ServerAliveInterval=5',
      'ServerAliveCountMax=2',
      'LogLevel=ERROR',
      'ForwardX11=no',
      'ForwardAgent=no',
    ],
    ...['ClearAllForwardings=yes', 'PermitLocalCommand=no', 'RequestTTY=no', 'RemoteCommand=none'],
  ].flatMap((option) => ['-o', option]);
  const env = connectorEnvironment(options.env);
  const words = [
    ...[options.program, '-T', ...base, ...ours, '--', options.destination],
    ['exec', options.shell, ...REMOTE_SHELL_ARGUMENTS].join(' '),
  ];
  return {
    argv: words,
    env,
    close: () =>
      new Promise((resolve) => {
        // Jobs have connections of their own through it: it is asked to take no more, and ends with the last.
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

export interface ContainerOptions extends ConnectorProgram {
  readonly container: string;
  readonly user: string | null;
  /** Words before `exec`. */
  readonly options: readonly string[];
}

/** `docker exec` or `podman exec`: whoever ends it leaves the process there running, so ending it is not ending a run. */
export function createContainerConnector({
  program,
  shell,
  env,
  container,
  user,
  options,
}: ContainerOptions): RemoteConnector {
  const as = user === null ? [] : ['--user', user];
  return toConnector(env, [
    program,
    ...options,
    'exec',
    '-i',
    ...as,
    container,
    shell,
    ...REMOTE_SHELL_ARGUMENTS,
  ]);
}

export interface KubernetesOptions extends ConnectorProgram {
  readonly pod: string;
  readonly container?: string;
  readonly namespace?: string;
  readonly context?: string;
}

/** `kubectl exec`, of which the same is true. */
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

export interface SlurmOptions {
  readonly shell: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Words for `srun` and `sbatch`. */
  readonly options: readonly string[];
}

/**
 * A cluster: a run that somebody waits for is a job of `srun` and ends with it, one that nobody waits for a job of
 * `sbatch`. Homes are the same on all nodes and here, so what a job wrote can be read when it is over.
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
