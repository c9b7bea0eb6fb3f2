/** A program that opens a stream to a bash somewhere else: its stdin, stdout and stderr are that bash's. */
export interface Client {
  /** The whole command line; every connection runs it once. */
  readonly words: readonly string[];
  /** What the program itself needs of the environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Shell assignments, among them `nacre_opens`, a script that opens connections in another way than by these words. */
  readonly opens?: string;
  /** Whether what nobody waits for is put into a queue: then its time is counted from when it begins. */
  readonly queues?: boolean;
  /** Ends what was kept open for the next connection. */
  close(): Promise<void>;
}

/** What such programs look for: the user's keys and settings, and nothing of the command's. */
const CLIENT_VARIABLES = [
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

export function clientEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    CLIENT_VARIABLES.flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** The bash over there, without its user's files: these may print, ask and take long. */
export const FAR_SHELL_WORDS: readonly string[] = ['--noprofile', '--norc'];
