/** Characters that mean themselves to bash wherever they stand; `~` and `=` do not at the start of a word. */
const PLAIN = /^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+:,./=-]*$/;

/** One word of shell that stands for exactly this text. A NUL cannot be said in shell and is not looked for. */
export function shellQuote(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
