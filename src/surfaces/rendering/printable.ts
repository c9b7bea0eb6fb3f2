/**
 * Replaces control and bidi characters, which could control a terminal, with spaces; newlines and tabs stay.
 */
export function toPrintable(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]|\p{Bidi_Control}/gu, ' ');
}

/** Splits text into lines without control characters; tabs become spaces. */
export function toPlainLines(text: string): string[] {
  const plain = text
    .replace(/\n$/, '')
    .replace(/\t/g, '    ')
    .replace(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/g, '');
  return plain === '' ? [] : plain.split('\n');
}

/** Replaces control and bidi characters, which would misplace the marks or hide a part of the command. */
export function replaceControlCharacters(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, ' ');
}
