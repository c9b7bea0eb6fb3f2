import { type Client, clientEnvironment, FAR_SHELL_WORDS } from './client.ts';

interface ProgramParts {
  readonly program: string;
  readonly shell: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface ContainerOptions extends ProgramParts {
  readonly container: string;
  readonly user: string | null;
  /** Words before `exec`. */
  readonly options: readonly string[];
}

/** `docker exec` or `podman exec`: whoever ends it leaves the process there running, so ending it is not ending a run. */
export function createContainerClient({
  program,
  shell,
  env,
  container,
  user,
  options,
}: ContainerOptions): Client {
  const as = user === null ? [] : ['--user', user];
  return client(env, [program, ...options, 'exec', '-i', ...as, container, shell, ...FAR_SHELL_WORDS]);
}

export interface KubernetesOptions extends ProgramParts {
  readonly pod: string;
  readonly container?: string;
  readonly namespace?: string;
  readonly context?: string;
}

/** `kubectl exec`, of which the same is true. */
export function createKubernetesClient(options: KubernetesOptions): Client {
  const { program, shell, env, pod, container, namespace, context } = options;
  return client(env, [
    program,
    ...(context === undefined ? [] : ['--context', context]),
    ...(namespace === undefined ? [] : ['--namespace', namespace]),
    ...['exec', '-i', pod],
    ...(container === undefined ? [] : ['--container', container]),
    ...['--', shell, ...FAR_SHELL_WORDS],
  ]);
}

function client(env: ContainerOptions['env'], words: readonly string[]): Client {
  return { words, env: clientEnvironment(env), close: () => Promise.resolve() };
}
