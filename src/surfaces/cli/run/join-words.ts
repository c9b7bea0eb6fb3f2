/** Several words as one command text in which bash finds exactly these words again. */
export function joinWords(words: readonly string[]): string {
  return words.map((word, at) => (isPlain(word) && !isAssignment(word, at) ? word : quote(word))).join(' ');
}

function isPlain(word: string): boolean {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word);
}

/** `A=1` as the first word is the name of a program here, as it would be for `execvp`. */
function isAssignment(word: string, at: number): boolean {
  return at === 0 && word.includes('=');
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
