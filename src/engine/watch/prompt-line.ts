/** Questions, with or without a newline after them. */
const QUESTIONS: readonly RegExp[] = [
  /[[(]\s*y(es)?\s*(\/|\||or)\s*n(o)?\b[^)]*[\])]\s*[:?]?\s*$/i,
  /[[(]\s*n(o)?\s*(\/|\||or)\s*y(es)?\b[^)]*[\])]\s*[:?]?\s*$/i,
  // A question with its default answer: `Is this OK? (yes)`.
  /\? *[[(][^\])\n]{1,40}[\])] *:? *$/,
  /\bpass(word|phrase|code)\b[^:]*:?\s*$/i,
  /\b(press|hit)\b.{0,30}\b(key|enter|return)\b/i,
  /^--More--|\(END\)\s*$/,
];

/** Prompts only while the line has no newline: in a log they are headings and ends of sentences. */
const OPEN_LINES: readonly RegExp[] = [
  /[:?] *$/,
  // Prompts of python, node, databases and shells: a short word and a sign.
  /^\s*(\S{0,40}|In \[\d+\])(>>>|[>$#❯›»]|(?<!\d)%) *$/,
  /^\.\.\. ?$/,
];

/**
 * Whether the last line of an output looks like a prompt. `line` keeps its newline, if it has one.
 *
 * A guess from the text, for systems that do not show what a process is blocked in, and for processes that wait
 * for other things too. It is not sufficient alone: a program that prints `Compiling: ` does not ask for input.
 */
export function looksLikePrompt(line: string): boolean {
  const isOpen = line !== '' && !line.endsWith('\n');
  return matchesAny(QUESTIONS, line) || (isOpen && matchesAny(OPEN_LINES, line));
}

function matchesAny(patterns: readonly RegExp[], line: string): boolean {
  return patterns.some((pattern) => pattern.test(line));
}
