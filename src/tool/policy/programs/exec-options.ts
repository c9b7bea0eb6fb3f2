import { ownValue } from '../../../engine/text/own-value.ts';
import type { Handler } from '../state/machine.ts';
import { inside, runApart } from '../unwrap/unwrap.ts';
import type { Field } from '../words/atom.ts';
import { literalOf, toField } from '../words/atom.ts';
import { concat } from '../words/join.ts';

/** Programs with options whose value is run, as a prefix of the word or as the word before. */
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  tar: [
    '--to-command',
    '--checkpoint-action=exec',
    '--use-compress-program',
    '-I',
    '--rsh-command',
    '--info-script',
    '-F',
  ],
  rsync: ['-e', '--rsh', '--rsync-path'],
  ssh: ['ProxyCommand', '-oProxyCommand', 'LocalCommand', '-oLocalCommand', 'KnownHostsCommand'],
  scp: ['ProxyCommand', '-oProxyCommand', '-S'],
  man: ['-P', '--pager'],
  sort: ['--compress-program'],
  zip: ['-TT', '--unzip-command'],
  expect: ['-c'],
};

export const EXEC_OPTION_NAMES: readonly string[] = Object.keys(OPTIONS);

/** Runs the values of such options. */
export const execOptions: Handler = ({ argv, frame }, machine) => {
  const name = literalOf(argv[0])?.replace(/.*\//, '') ?? '';
  for (const [index, word] of argv.entries()) {
    for (const option of ownValue(OPTIONS, name) ?? []) {
      const value = valueAfter(word, option) ?? (literalOf(word) === option ? argv[index + 1] : undefined);
      if (value !== undefined) runApart([value], inside(frame, `${name} ${option}`), machine);
    }
  }
  return undefined;
};

function valueAfter(word: Field, option: string): Field | undefined {
  const [first, ...rest] = word;
  const prefix = `${option}=`;
  if (first?.kind !== 'text' || !first.text.startsWith(prefix)) return undefined;
  return concat(toField(first.text.slice(prefix.length)), rest);
}
