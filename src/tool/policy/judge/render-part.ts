import type { Part } from '../state/machine.ts';
import { renderField } from '../words/atom.ts';

const MAX_WORDS = 40;

/** A part as a person would type it. */
export function renderPart({ argv }: Pick<Part, 'argv'>): string {
  const words = argv.slice(0, MAX_WORDS).map(renderField).join(' ');
  return argv.length > MAX_WORDS ? `${words} …` : words;
}
