import type { State } from '../state/state.ts';
import { joinWords } from '../unwrap/unwrap.ts';
import type { Field } from '../words/atom.ts';
import { literalOf } from '../words/atom.ts';

/** The texts that an alias and the words after it become. */
export function expandAlias(
  alias: readonly Field[],
  words: readonly Field[],
  state: State,
): readonly Field[] {
  return alias.map((text) => joinWords([text, ...(endsInBlank(text) ? expandNext(words, state) : words)]));
}

/** Then the next word may be an alias, too. */
function endsInBlank(text: Field): boolean {
  return /\s$/.test(literalOf(text) ?? '');
}

function expandNext([next, ...rest]: readonly Field[], state: State): readonly Field[] {
  if (next === undefined) return [];
  const [text = next] = state.get('alias', literalOf(next) ?? '') ?? [];
  return [text, ...rest];
}
