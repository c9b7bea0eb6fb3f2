import type { CallCard } from '../cards/card.ts';
import type { Transcript } from '../cards/transcript.ts';

/** The transcript as text: what was run and what came of it, without what was run with `!!`. */
export function renderTranscript(transcript: Transcript): string {
  return transcript.ids
    .map((id) => transcript.get(id))
    .filter((card) => card?.kind === 'call' && !card.isPrivate)
    .map((card) => renderCall(card as CallCard))
    .join('\n');
}

function renderCall({ by, command, output, problem, result, state }: CallCard): string {
  const mark = by === 'person' ? '!' : '$';
  const run = result?.run;
  const how = run?.signal ?? run?.exitCode ?? run?.status ?? state;
  const end = state === 'cancelled' ? 'cancelled' : `${how}`;
  return `${mark} ${command}\n${problem ?? output}${(problem ?? output).endsWith('\n') ? '' : '\n'}[${end}]\n`;
}
