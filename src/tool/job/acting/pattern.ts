import { badInput } from '../../input/check-input.ts';

const MOST_CHARACTERS = 1_000;

/** A regular expression as a model wrote it; `field` is named when it is none. */
export function toPattern(text: string, field: string): RegExp {
  if (text === '') throw badInput(field, 'is empty, and would match every line');
  if (text.length > MOST_CHARACTERS)
    throw badInput(field, `takes ${MOST_CHARACTERS} characters at most, got ${text.length}`);
  try {
    return new RegExp(text, 'u');
  } catch {
    return toLoosePattern(text, field);
  }
}

/** Without the strict rules of Unicode mode, which refuse a needless backslash. */
function toLoosePattern(text: string, field: string): RegExp {
  try {
    return new RegExp(text);
  } catch (cause) {
    throw badInput(field, `is no regular expression: ${cause instanceof Error ? cause.message : cause}`);
  }
}
