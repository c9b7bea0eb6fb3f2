import type { Command, CommandNode, Word } from 'unbash';
import { containsNode, parseSingleStatement, toLiteralWord } from './parse-script.ts';

/** A command split into the directory of its leading `cd` and the rest. */
interface LeadingCd {
  /**
   * The directory. `~` and `~/…` refer to the home directory; a directory whose name starts with a tilde is
   * given as `./~…`.
   */
  readonly path: string;
  readonly rest: string;
}

// Text that would reveal that the shell was never in the previous directory.
const DEPENDS_ON_PREVIOUS_DIRECTORY = /\bOLDPWD\b|~-|\bcd\s+['"]?-|\$_\b|\$\{_\}|\bpopd\b|\bdirs\b/;

/**
 * Splits `cd <path> && rest` when running `rest` in `path` is provably equivalent.
 *
 * `CDPATH` is not considered: a caller whose environment sets it must not split the command.
 */
export function splitLeadingCd(command: string): LeadingCd | null {
  if (!/^\s*cd\s/.test(command)) return null;
  const chain = parseSingleStatement(command);
  if (chain?.type !== 'AndOr' || chain.operators.some((operator) => operator !== '&&')) return null;

  const [first, second] = chain.commands;
  if (first?.type !== 'Command' || second === undefined) return null;
  // A newline before the rest would change the line numbers in messages of bash.
  if (command.slice(0, second.pos).includes('\n')) return null;
  const path = cdPath(first);
  const rest = command.slice(second.pos).trimEnd();
  return path === null || DEPENDS_ON_PREVIOUS_DIRECTORY.test(rest) ? null : { path, rest };
}

function cdPath(command: Command): string | null {
  const [operand, ...others] = command.suffix;
  if (command.prefix.length > 0 || command.name?.text !== 'cd') return null;
  return others.length === 0 && operand?.type === 'Word' ? literalPath(operand) : null;
}

function literalPath(word: Word): string | null {
  const literal = toLiteralWord(word);
  if (literal === null || literal.value === '' || literal.value.startsWith('-')) return null;
  if (literal.quoting === 'single' || literal.quoting === 'double') return protectTilde(literal.value);
  return literal.quoting === 'bare' ? barePath(word.text, literal.value) : null;
}

function barePath(text: string, value: string): string | null {
  if (/[{}[\]*?!]/.test(text)) return null;
  if (text.startsWith('~')) return /^~(?:$|\/[^~]*$)/.test(text) ? value : null;
  // Bash also expands a tilde after `=` or `:` in some words.
  return text.includes('~') && !text.startsWith('\\~') ? null : protectTilde(value);
}

function protectTilde(value: string): string {
  return value.startsWith('~') ? `./${value}` : value;
}

/** A command without its trailing `head` and `tail`. The limit of `head` applies first. */
interface TrailingLimit {
  readonly command: string;
  readonly head?: number;
  readonly tail?: number;
}

interface LineLimit {
  readonly kind: 'head' | 'tail';
  readonly lines: number;
}

/**
 * Removes `| head -n N`, `| head -N`, `| tail -n N` and `| tail -N` from the end of a command that is one
 * pipeline.
 */
export function splitTrailingLimit(command: string): TrailingLimit | null {
  if (!/\|\s*(?:head|tail)\s+-/.test(command)) return null;
  const pipeline = parseSingleStatement(command);
  if (pipeline?.type !== 'Pipeline' || pipeline.prefixes.length > 0) return null;
  if (containsNode(pipeline, ({ type }) => type === 'HereDoc')) return null;

  const limits = pipeline.commands.map(toLineLimit);
  const last = pipeline.commands.length - 1;
  const final = limits[last];
  if (!final || pipeline.operators[last - 1] !== '|') return null;
  const before = limits[last - 1];
  const both = final.kind === 'tail' && before?.kind === 'head' && pipeline.operators[last - 2] === '|';
  const kept = pipeline.commands[both ? last - 2 : last - 1];
  if (kept === undefined) return null;
  return {
    command: command.slice(0, kept.end).trim(),
    ...(both ? { head: before.lines } : {}),
    [final.kind]: final.lines,
  };
}

function toLineLimit(command: CommandNode): LineLimit | undefined {
  if (command.type !== 'Command' || command.prefix.length > 0) return undefined;
  const kind = command.name?.text;
  if (kind !== 'head' && kind !== 'tail') return undefined;
  const words = command.suffix.map((item) => (item.type === 'Word' ? item.text : '>'));
  const lines = /^(?:-n )?-?(\d{1,9})$/.exec(words.join(' '));
  const shape = words.length === 2 ? /^-n \d+$/ : /^-\d+$/;
  return lines && shape.test(words.join(' ')) ? { kind, lines: Number(lines[1]) } : undefined;
}
