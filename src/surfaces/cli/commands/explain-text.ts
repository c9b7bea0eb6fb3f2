import type { ExplainedPart, Explanation } from '../../../index.ts';

/** For people: the command with what was found underlined, its parts, the verdict and why. */
export function renderExplanation({ command, verdict, message, parts, spans, notes }: Explanation): string {
  const lines = [
    ...underline(command, spans),
    '',
    ...parts.map(renderPart),
    ...(parts.length === 0 ? [] : ['']),
    verdict,
    ...(message === '' ? [] : [message]),
    ...notes,
  ];
  return `${lines.join('\n')}\n`;
}

/** Control characters would move the marks, or do worse to a terminal. */
function visible(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ');
}

function underline(command: string, spans: Explanation['spans']): readonly string[] {
  let start = 0;
  return command.split('\n').flatMap((line) => {
    const from = start;
    start += line.length + 1;
    const marks = Array.from({ length: line.length }, (_, index) =>
      spans.some((span) => span.start <= from + index && from + index < span.end) ? '^' : ' ',
    )
      .join('')
      .trimEnd();
    return marks === '' ? [visible(line)] : [visible(line), marks];
  });
}

function renderPart({ text, via }: ExplainedPart): string {
  const inside = via.length === 0 ? '' : `   (inside ${via.join(' > ')})`;
  return `  ${'  '.repeat(via.length)}${visible(text)}${visible(inside)}`;
}
