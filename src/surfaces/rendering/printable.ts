/**
 * Replaces control and bidi characters, which could control a terminal, with spaces; newlines and tabs stay.
 */
export function toPrintable(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]|\p{Bidi_Control}/gu, ' ');
}
