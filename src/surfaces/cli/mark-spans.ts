import { replaceControlCharacters } from '../rendering/printable.ts';

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Returns the lines of a text, each followed by a line of marks when a span is in it. */
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
