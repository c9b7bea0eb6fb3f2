import { parseOptions } from '../unwrap/options.ts';
import type { Field } from '../words/atom.ts';
import { literalOf, toField } from '../words/atom.ts';
import { concat } from '../words/join.ts';

/** A git command, its global options read. */
export interface GitWords {
  /** `null` when nobody knows. */
  readonly verb: string | null;
  readonly words: readonly Field[];
  /** Settings given with `-c`; keys in lower case. */
  readonly config: readonly { readonly key: string; readonly value: Field }[];
}

const GLOBAL = {
  short: 'Cc',
  long: [
    'git-dir=',
    'work-tree=',
    'namespace=',
    'super-prefix=',
    'config-env=',
    'attr-source=',
    'exec-path=?',
    'list-cmds=?',
  ],
};

/** Reads the words of a git command; `null` when it only prints its help or version. */
export function readGit(argv: readonly Field[]): GitWords | null {
  const { options, operands } = parseOptions(argv.slice(1), GLOBAL);
  if (
    options.some(({ name }) =>
      ['h', 'help', 'v', 'version', 'html-path', 'man-path', 'info-path'].includes(name),
    )
  )
    return null;
  const config = options.flatMap(({ name, value }) =>
    name === 'c' && value !== undefined ? [setting(value)] : [],
  );
  const [verb, ...words] = operands;
  return { verb: literalOf(verb), words, config };
}

function setting(value: Field): { key: string; value: Field } {
  const [first] = value;
  if (first?.kind !== 'text') return { key: '', value };
  const equals = first.text.indexOf('=');
  if (equals < 0) return { key: first.text.toLowerCase(), value: toField('true') };
  return {
    key: first.text.slice(0, equals).toLowerCase(),
    value: concat(toField(first.text.slice(equals + 1)), value.slice(1)),
  };
}
