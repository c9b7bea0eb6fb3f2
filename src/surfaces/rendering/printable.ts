/** Replaces control and bidi characters, which could drive a person's terminal, by spaces; line ends and tabs stay. */
export function toPrintable(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]|\p{Bidi_Control}/gu, ' ');
}
