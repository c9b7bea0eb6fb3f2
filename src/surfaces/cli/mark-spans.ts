interface Span {
  readonly start: number;
  readonly end: number;
}

/** A text line by line, each with a line of marks below it where something in it is meant. */
export function markSpans(text: string, spans: readonly Span[]): readonly string[] {
  let start = 0;
  return text.split('\n').flatMap((line) => {
    const from = start;
    start += line.length + 1;
    const marks = Array.from({ length: line.length }, (_, index) =>
      spans.some((span) => span.start <= from + index && from + index < span.end) ? '^' : ' ',
    )
      .join('')
      .trimEnd();
    return marks === '' ? [replaceControlCharacters(line)] : [replaceControlCharacters(line), marks];
  });
}

/** Control characters would move the marks, or do worse to a terminal; those that turn the direction of writing would hide what is asked. */
export function replaceControlCharacters(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, ' ');
}
