import { fileURLToPath } from 'node:url';
import { quote } from '../../text/quote.ts';
import { type Client, clientEnvironment, FAR_SHELL_WORDS } from './client.ts';

const SCRIPT = fileURLToPath(new URL('./slurm.sh', import.meta.url));

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
export function createSlurmClient({ shell, env, options }: SlurmOptions): Client {
  return {
    words: [shell, ...FAR_SHELL_WORDS],
    env: clientEnvironment(env),
    opens: `nacre_slurm=(${options.map(quote).join(' ')})\nnacre_opens=${quote(SCRIPT)} nacre_queues=1\n`,
    queues: true,
    close: () => Promise.resolve(),
  };
}
