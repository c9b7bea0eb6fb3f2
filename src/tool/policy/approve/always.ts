import { quote } from '../../../engine/text/quote.ts';
import type { Always } from '../judge/verdict.ts';
import type { Part } from '../state/machine.ts';
import { HANDLERS } from '../unwrap/handlers.ts';
import { literalOf } from '../words/atom.ts';

/** Programs that the interpreter knows and that run nothing beyond what their words name. */
const NAMED: ReadonlySet<string> = new Set(
  'git npm pnpm yarn bun cargo go docker podman kubectl gh pip pip3 uv poetry deno dotnet mvn gradle apt apt-get brew systemctl terraform make just rm rmdir mv cp dd chmod chown kill killall pkill curl wget ssh scp rsync tee cd pushd popd export declare local set unset read printf'.split(
    ' ',
  ),
);

const INTERPRETERS = /^(?:node|python3?|ruby|perl|deno|bun|php)$/;

/** Programs for which standard input is only text to print, count or search. */
const FILTERS: ReadonlySet<string> = new Set(
  'cat head tail grep rg wc sort uniq cut tr column nl fold fmt rev tac jq less more md5sum sha256sum'.split(
    ' ',
  ),
);

/**
 * The rule that a lasting answer stores for a part: exactly its words. `null` where the words do not say everything that
 * runs: an unknown word, a redirection, an assignment, a shell or another runner, standard input that a program may act on.
 */
export function alwaysRule({ argv, name, writes, assigned, piped, stdin }: Part): Always | null {
  const words = argv.map(literalOf);
  if (name === null || !words.every(isPlain) || writes.length > 0 || assigned.length > 0) return null;
  if ((piped || stdin !== undefined) && !FILTERS.has(name)) return null;
  if (INTERPRETERS.test(name)) {
    const [, script] = words;
    if (script === undefined || script.startsWith('-')) return null;
  } else if (HANDLERS.has(name) && !NAMED.has(name)) return null;
  return toAlways(words);
}

/** An exact rule with the text that is shown before it is stored. */
export function toAlways(words: readonly string[]): Always {
  return { prefix: words, exact: true, text: words.map(quote).join(' ') };
}

/** A word with characters that a terminal does not show cannot be confirmed. */
function isPlain(word: string | null): word is string {
  return word !== null && !/[\p{Cc}\p{Bidi_Control}]/u.test(word);
}
