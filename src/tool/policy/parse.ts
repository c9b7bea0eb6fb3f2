/** The front of the parsing room: what others may ask about the text of a command. */

export { endsInPipeline } from './parse/ends-in-pipeline.ts';
export { leadingCd } from './parse/leading-cd.ts';
export { commandNames, referencedVariables } from './parse/names.ts';
export { plainCommands } from './parse/plain-commands.ts';
export { parse } from './parse/script.ts';
export type { CommandEffect } from './parse/state-effect.ts';
export { stateEffect } from './parse/state-effect.ts';
export { trailingLimit } from './parse/trailing-limit.ts';
export type { WordSpan } from './parse/word-spans.ts';
export { wordSpans } from './parse/word-spans.ts';
export { peel } from './unwrap/peel.ts';
