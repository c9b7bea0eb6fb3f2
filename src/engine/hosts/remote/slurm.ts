import { type Client, clientEnvironment, FAR_SHELL_WORDS } from './client.ts';

export interface SlurmOptions {
  readonly program: string;
  readonly shell: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Words for `srun`. */
  readonly options: readonly string[];
}

/**
 * `srun`: each connection is a step of its own. The step ends with the program that opened it, and everybody in it ends
 * with the step: a run there does not outlive its connection.
 */
export function createSlurmClient({ program, shell, env, options }: SlurmOptions): Client {
  const ours = ['--ntasks=1', '--unbuffered', '--quiet', '--input=0', '--kill-on-bad-exit=0'];
  const words = [program, ...ours, ...options, shell, ...FAR_SHELL_WORDS];
  return { words, env: clientEnvironment(env), close: () => Promise.resolve() };
}
