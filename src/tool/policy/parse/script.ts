import type { ParsedScript, ParseError } from 'unbash';
import { unbash } from './unbash.ts';

/** A command as bash will read it. Positions are UTF-16 offsets into `source`. */
export interface Parsed {
  readonly source: string;
  readonly script: ParsedScript;
  /** What the grammar did not allow at the top level; nested scripts carry their own. */
  readonly errors: readonly ParseError[];
}

/** Never throws: what cannot be read is in `errors`, beside the part that can. */
export function parse(source: string): Parsed {
  const script = unbash().parse(source);
  return { source, script, errors: script.errors ?? [] };
}
