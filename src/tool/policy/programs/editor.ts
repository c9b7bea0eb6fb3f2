import type { Handler } from '../state/machine.ts';
import { inside, runApart } from '../unwrap/unwrap.ts';
import type { Field } from '../words/atom.ts';
import { literalOf, toField } from '../words/atom.ts';

export const EDITORS: readonly string[] = ['vim', 'vi', 'nvim', 'view', 'ex', 'ed'];

const SHELL_COMMAND = /^\+?\s*:?\s*(?:sil(?:ent)?!?\s+)?(?:r(?:ead)?\s*|w(?:rite)?\s*|%|\d*,?\d*)?!\s*(.+)$/s;

/** `vim -c '!command'`, `vim '+!command'`, and what `ed` and `ex` read: an exclamation mark hands the rest to a shell. */
export const editor: Handler = ({ argv, frame }, machine) => {
  const name = literalOf(argv[0])?.replace(/.*\//, '') ?? 'vi';
  const given = argv.filter((word, index) => isScript(word, argv[index - 1]));
  const read = /^(?:ed|ex)$/.test(name) ? (frame.stdin ?? []) : [];
  for (const text of [...given, ...read])
    for (const line of (literalOf(text) ?? '').split('\n')) {
      const [, command] = SHELL_COMMAND.exec(line) ?? [];
      if (command !== undefined) runApart([toField(command)], inside(frame, name), machine);
    }
  return undefined;
};

function isScript(word: Field, before: Field | undefined): boolean {
  return /^(?:-c|--cmd)$/.test(literalOf(before) ?? '') || (literalOf(word)?.startsWith('+') ?? false);
}
