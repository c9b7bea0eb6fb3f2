import type { Command, Word } from 'unbash';
import { literalWord } from './literal.ts';
import { parse } from './script.ts';

/** A command that starts by changing its directory. */
export interface LeadingCd {
  /**
   * The directory. `~` and `~/…` stand for the home directory; a directory whose
   * name really starts with a tilde is given as `./~…`.
   */
  readonly path: string;
  readonly rest: string;
}

// What would notice that the shell never was in the directory before.
const LOOKS_BACK = /\bOLDPWD\b|~-|\bcd\s+['"]?-|\$_\b|\$\{_\}|\bpopd\b|\bdirs\b/;

/**
 * Splits `cd <path> && rest`, when starting `rest` in `path` is provably the same.
 *
 * `CDPATH` is not looked at: a caller whose environment has one leaves the command as it is.
 */
export function leadingCd(command: string): LeadingCd | null {
  if (!/^\s*cd\s/.test(command)) return null;
  const { script, errors } = parse(command);
  const [statement, ...others] = script.commands;
  if (errors.length > 0 || statement === undefined || others.length > 0 || statement.background) return null;
  const chain = statement.command;
  if (chain.type !== 'AndOr' || chain.operators.some((operator) => operator !== '&&')) return null;

  const [first, second] = chain.commands;
  if (first?.type !== 'Command' || second === undefined) return null;
  // A newline before the rest would change the line numbers of bash's own messages.
  if (command.slice(0, second.pos).includes('\n')) return null;
  const path = cdPath(first);
  const rest = command.slice(second.pos).trimEnd();
  return path === null || LOOKS_BACK.test(rest) ? null : { path, rest };
}

function cdPath(command: Command): string | null {
  const [operand, ...others] = command.suffix;
  if (command.prefix.length > 0 || command.name?.text !== 'cd') return null;
  return others.length === 0 && operand?.type === 'Word' ? literalPath(operand) : null;
}

function literalPath(word: Word): string | null {
  const literal = literalWord(word);
  if (literal === null || literal.value === '' || literal.value.startsWith('-')) return null;
  if (literal.quoting === 'single' || literal.quoting === 'double') return protectTilde(literal.value);
  return literal.quoting === 'bare' ? barePath(word.text, literal.value) : null;
}

function barePath(text: string, value: string): string | null {
  if (/[{}[\]*?!]/.test(text)) return null;
  if (text.startsWith('~')) return /^~(?:$|\/[^~]*$)/.test(text) ? value : null;
  // bash also expands a tilde after `=` or `:` in some words.
  return text.includes('~') && !text.startsWith('\\~') ? null : protectTilde(value);
}

function protectTilde(value: string): string {
  return value.startsWith('~') ? `./${value}` : value;
}
