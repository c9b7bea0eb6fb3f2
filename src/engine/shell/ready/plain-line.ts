/** Longer ones are no everyday lines. */
const MAX_LENGTH = 8_192;

const BARE = '[^\\s\'"\\\\`$(){}<>|&;!\\x00-\\x1f\\x7f]';
const ESCAPED = '\\\\[\\x20-\\x7e]';
const VARIABLE = '\\$(?:[A-Za-z][A-Za-z0-9_]*|\\{[A-Za-z][A-Za-z0-9_]*\\}|[0-9?$#@*])';
const SINGLE = "'[^'\\x00-\\x08\\x0a-\\x1f\\x7f]*'";
const DOUBLE = `"(?:[^"\\\\\`$\\x00-\\x08\\x0a-\\x1f\\x7f]|${ESCAPED}|${VARIABLE})*"`;
const WORD = `(?!#)(?:${BARE}|${ESCAPED}|${VARIABLE}|${SINGLE}|${DOUBLE})+`;
const REDIRECTION = `(?:[0-9]*(?:>>|>\\||[<>]&|<>|[<>])|&>>?)[ \\t]*(?![0-9]+[<>])${WORD}`;

/** Blanks, a redirection, what ends a command, or a word: exactly one of them stands at any place. */
const TOKEN = new RegExp(`[ \\t]+|(${REDIRECTION})|(&&|\\|\\||\\|&?|;(?!&)|&)|(${WORD})`, 'gy');

/** Words that are grammar where a command may begin. */
const KEYWORDS = new Set(
  '[[ ]] case coproc do done elif else esac exec fi for function if in select then time until while'.split(
    ' ',
  ),
);
/** Commands that print all there is in the shell, our traces included. */
const TELLING = new Set('caller compgen declare set typeset'.split(' '));

/**
 * Whether a command is one line that bash surely reads without an error: simple commands with quotes, variables and redirections, joined
 * by `&&`, `||`, `|`, `;` and `&`.
 *
 * What this small reader does not know is not wrong; it takes the way on which bash itself reads the text from its start.
 */
export function isPlainLine(command: string): boolean {
  // What begins so would be an option of bash.
  if (command.length > MAX_LENGTH || /^[-+]/.test(command)) return false;
  let state: State = 'more';
  let end = 0;
  for (const found of command.matchAll(TOKEN)) {
    end = found.index + found[0].length;
    state = step(state, found);
  }
  return end === command.length && (state === 'nothing' || state === 'something');
}

/** What there is of the command that is being read: nothing yet, something, nothing where there must be something. */
type State = 'nothing' | 'something' | 'more' | 'wrong';

function step(state: State, [, redirection, operator, word]: RegExpExecArray): State {
  if (state === 'wrong') return state;
  if (operator !== undefined) {
    if (state !== 'something') return 'wrong';
    return operator === ';' || operator === '&' ? 'nothing' : 'more';
  }
  if (redirection !== undefined) return 'something';
  if (word === undefined) return state;
  return isElement(word) || (state !== 'something' && isSpecial(word)) ? 'wrong' : 'something';
}

/** In an assignment to an element anything may stand until its bracket is closed. */
function isElement(word: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*\[/.test(word);
}

function isSpecial(word: string): boolean {
  return KEYWORDS.has(word) || TELLING.has(word);
}
