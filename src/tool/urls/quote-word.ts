import { quote } from '../../engine/text/quote.ts';

/** One shell word that stands for exactly this text, wherever in a command it is put. */
export function quoteWord(text: string, { inBackticks }: { readonly inBackticks: boolean }): string {
  // Backticks take one level of these backslashes off before their text is read.
  return inBackticks ? quote(text).replace(/[\\`$]/g, '\\$&') : quote(text);
}
