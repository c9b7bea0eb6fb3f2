/** Characters without a special meaning in bash; `~` and `=` have one at the start of a word. */
const PLAIN = /^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+:,./=-]*$/;

/** Quotes a text as one shell word. A NUL cannot be expressed in shell and is not checked. */
export function shellQuote(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
