/** Forms in which programs ask, whether or not a newline follows. */
const QUESTIONS: readonly RegExp[] = [
  /[[(]\s*y(es)?\s*(\/|\||or)\s*n(o)?\b[^)]*[\])]\s*[:?]?\s*$/i,
  /[[(]\s*n(o)?\s*(\/|\||or)\s*y(es)?\b[^)]*[\])]\s*[:?]?\s*$/i,
  // A question and what it takes for an answer: `Is this OK? (yes)`.
  /\? *[[(][^\])\n]{1,40}[\])] *:? *$/,
  /\bpass(word|phrase|code)\b[^:]*:?\s*$/i,
  /\b(press|hit)\b.{0,30}\b(key|enter|return)\b/i,
  /^--More--|\(END\)\s*$/,
];

/** Forms that are prompts only while the line is open: in a log they are headings and the ends of sentences. */
const OPEN_LINES: readonly RegExp[] = [
  /[:?] *$/,
  // python, node, databases, shells: a few characters that are no sentence, and a sign.
  /^\s*(\S{0,40}|In \[\d+\])(>>>|[>$#❯›»]|(?<!\d)%) *$/,
  /^\.\.\. ?$/,
];

/**
 * Whether a last line looks as if somebody were asked something. `line` keeps its newline, if it has one.
 *
 * A guess from words, for systems that do not tell what a process is doing, and for processes that wait for input among
 * other things. Never enough by itself: a program that prints `Compiling: ` is not asking.
 */
export function looksLikePrompt(line: string): boolean {
  const isOpen = line !== '' && !line.endsWith('\n');
  return matchesAny(QUESTIONS, line) || (isOpen && matchesAny(OPEN_LINES, line));
}

function matchesAny(patterns: readonly RegExp[], line: string): boolean {
  return patterns.some((pattern) => pattern.test(line));
}
