import type { Condenser } from '../../engine/output/minimise/condenser.ts';
import type { ResolvedOptions } from '../options/resolved-options.ts';
import { toCondensers } from './own-condenser.ts';

/** What makes the output of a command shorter, or `null`. Looked for only when an output does not fit. */
export async function condenserFor(
  command: string,
  { minimizer }: Pick<ResolvedOptions, 'minimizer'>,
): Promise<Condenser | null> {
  const { enabled, only, except, condensers } = minimizer;
  if (!enabled) return null;
  const { peel, plainCommands } = await import('../policy/parse.ts');
  const { chooseCondenser } = await import('../../engine/output/minimise/choose.ts');
  const commands = plainCommands(command);
  if (commands === null) return null;
  return chooseCondenser(commands.map(peel), { only, except, own: toCondensers(condensers) });
}
