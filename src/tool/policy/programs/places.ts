/** One way to give a command to a program that runs it elsewhere. */
export interface Form {
  /** What comes first: `compose exec`. */
  readonly verbs?: readonly string[];
  /** Words before the command: the host, the container. */
  readonly operands?: number;
  /** The command comes after `--`, and only there. */
  readonly fenced?: true;
  /** The words are joined and read by a shell over there. */
  readonly joins?: true;
  /** Without a command, standard input is the script. */
  readonly reads?: true;
  /** Options, with their dashes, whose value is a script. */
  readonly scripts?: readonly string[];
}

/** A program that runs commands elsewhere. */
export interface Place {
  readonly forms: readonly Form[];
  /** Short options that take a value. */
  readonly short?: string;
  /** Long options that take none; all others do. */
  readonly flags?: readonly string[];
  /** Long options that take a value; all others do not. */
  readonly long?: readonly string[];
}

const CONTAINER_FLAGS = [
  ...[
    'rm',
    'interactive',
    'tty',
    'detach',
    'privileged',
    'init',
    'read-only',
    'no-healthcheck',
    'oom-kill-disable',
  ],
  ...[
    'publish-all',
    'quiet',
    'sig-proxy',
    'no-TTY',
    'no-tty',
    'no-deps',
    'service-ports',
    'build',
    'use-aliases',
  ],
  ...[
    'remove-orphans',
    'quiet-pull',
    'debug',
    'tls',
    'tlsverify',
    'no-hosts',
    'systemd',
    'replace',
    'rmi',
    'tls-verify',
  ],
  ...['compatibility', 'dry-run', 'all-resources', 'latest', 'verbose', 'env-host', 'http-proxy'],
];

const CONTAINERS: Place = {
  short: 'ewupvmhacnHlf',
  flags: CONTAINER_FLAGS,
  forms: [
    { verbs: ['exec'], operands: 1 },
    { verbs: ['run'], operands: 1 },
    { verbs: ['container', 'exec'], operands: 1 },
    { verbs: ['container', 'run'], operands: 1 },
    { verbs: ['compose', 'exec'], operands: 1 },
    { verbs: ['compose', 'run'], operands: 1 },
    { verbs: ['machine', 'ssh'], operands: 1, joins: true },
    { verbs: ['sandbox', 'exec'], operands: 1 },
  ],
};

const COMPOSE: Place = { ...CONTAINERS, forms: CONTAINERS.forms.slice(0, 2) };

const CLUSTER: Place = {
  short: 'ncflsk',
  forms: [
    { verbs: ['exec'], fenced: true },
    { verbs: ['run'], fenced: true },
    { verbs: ['debug'], fenced: true },
    { verbs: ['rsh'], operands: 1 },
  ],
};

const SSH: Place = {
  short: 'bcDEeFIiJLlmOopQRSWwBP',
  long: [],
  forms: [{ operands: 1, joins: true, reads: true }],
};

const FENCED: Place = { forms: [{ fenced: true }] };

/** Programs that run commands on another machine, in a container or in another system. */
export const PLACES: Readonly<Record<string, Place>> = {
  ssh: SSH,
  slogin: SSH,
  rsh: SSH,
  autossh: { ...SSH, short: `${SSH.short}M` },
  mosh: FENCED,
  pdsh: { short: 'wxlutf', long: [], forms: [{ joins: true }] },
  clush: { short: 'wxgtuf', long: [], forms: [{ joins: true }] },
  pssh: { short: 'hHlptoeOxXi', long: [], forms: [{ joins: true }] },
  'parallel-ssh': { short: 'hHlptoeOxXi', long: [], forms: [{ joins: true }] },
  docker: CONTAINERS,
  podman: CONTAINERS,
  nerdctl: CONTAINERS,
  finch: CONTAINERS,
  'docker-compose': COMPOSE,
  'podman-compose': COMPOSE,
  kubectl: CLUSTER,
  oc: CLUSTER,
  k3s: { ...CLUSTER, forms: [{ verbs: ['kubectl', 'exec'], fenced: true }] },
  lxc: { forms: [{ verbs: ['exec'], fenced: true }] },
  incus: { forms: [{ verbs: ['exec'], fenced: true }] },
  multipass: { long: ['working-directory'], short: 'd', forms: [{ verbs: ['exec'], operands: 1 }] },
  limactl: { long: ['workdir', 'shell'], forms: [{ verbs: ['shell'], operands: 1 }] },
  colima: { forms: [{ verbs: ['ssh'], fenced: true }] },
  minikube: { forms: [{ verbs: ['ssh'], fenced: true }] },
  distrobox: { short: 'n', forms: [{ verbs: ['enter'], fenced: true }] },
  'distrobox-enter': FENCED,
  toolbox: { short: 'cdr', long: ['container', 'distro', 'release'], forms: [{ verbs: ['run'] }] },
  flatpak: { long: ['command', 'cwd'], forms: [{ verbs: ['run'], operands: 1 }] },
  'flatpak-spawn': { long: ['directory', 'env'], forms: [{}] },
  vagrant: { short: 'c', long: ['command'], forms: [{ verbs: ['ssh'], scripts: ['-c', '--command'] }] },
  gcloud: { long: [], forms: [{ verbs: ['compute', 'ssh'], scripts: ['--command'] }] },
  fly: { short: 'Cas', forms: [{ verbs: ['ssh', 'console'], scripts: ['-C', '--command'] }] },
  flyctl: { short: 'Cas', forms: [{ verbs: ['ssh', 'console'], scripts: ['-C', '--command'] }] },
  heroku: { short: 'a', long: ['app', 'remote', 'size'], forms: [{ verbs: ['run'], joins: true }] },
  adb: { short: 's', forms: [{ verbs: ['shell'], joins: true }] },
  wsl: { short: 'du', long: ['distribution', 'user', 'cd'], forms: [{}] },
  'wsl.exe': { short: 'du', long: ['distribution', 'user', 'cd'], forms: [{}] },
};
