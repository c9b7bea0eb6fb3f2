/** Splits a text at white space, for tables of words that would take a line each as an array. */
export function wordList(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
