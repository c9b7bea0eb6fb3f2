import type { ParsedScript, ParseError } from 'unbash';
import type { SourceSpan } from '../../syntax/parse-script.ts';
import type { EvaluationFrame } from '../values/command-evaluation.ts';
import { type Field, toLiteral } from '../values/field.ts';

/** A text that the parser could not read to its end. */
export interface UnreadableText {
  /** What bash would get: the whole command, or a script inside it. */
  readonly text: string;
  readonly span: SourceSpan;
  readonly problem: string;
}

/** The command as it was written: where the pieces of it stand, and which of them cannot be read. */
export class CommandSource {
  readonly unreadables: UnreadableText[] = [];
  readonly #source: string;
  readonly #seen = new Set<ParsedScript>();

  constructor(source: string) {
    this.#source = source;
  }

  /** Where a nested script stands in the command word for word, its positions are exact. */
  createSpanMapper(text: Field, { span }: EvaluationFrame): EvaluationFrame['place'] {
    const literal = toLiteral(text);
    const index = literal === null ? -1 : this.#source.slice(span.start, span.end).indexOf(literal);
    if (index < 0) return () => span;
    const base = span.start + index;
    return (start, end) => ({ start: base + start, end: base + end });
  }

  /** Only what stands in the command as it is counts: a text put together here may never exist. */
  report(errors: readonly ParseError[], text: string, frame: EvaluationFrame): void {
    const [error] = errors;
    const isWritten =
      text === this.#source || (frame.via.at(-1)?.endsWith(' -c') && this.#source.includes(text));
    if (error === undefined || !isWritten) return;
    this.#note(text, error, frame);
  }

  /** A script that is part of the command, once. */
  reportScript(script: ParsedScript, frame: EvaluationFrame): void {
    const [error] = script.errors ?? [];
    if (error === undefined || this.#seen.has(script)) return;
    this.#seen.add(script);
    this.#note(script.source ?? this.#source, error, frame);
  }

  #note(text: string, { message, pos }: ParseError, frame: EvaluationFrame): void {
    this.unreadables.push({ text, span: frame.place(pos, pos + 1), problem: message });
  }
}
