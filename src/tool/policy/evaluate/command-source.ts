import type { ParsedScript, ParseError } from 'unbash';
import type { SourceSpan } from '../../syntax/parse-script.ts';
import type { EvaluationFrame } from '../values/command-evaluation.ts';
import { type Field, toLiteral } from '../values/field.ts';

/** A text that could not be parsed completely. */
export interface UnreadableText {
  /** The text bash would parse: the whole command, or a script inside it. */
  readonly text: string;
  readonly span: SourceSpan;
  readonly problem: string;
}

/** The original command text: maps nested scripts to positions in it and collects parse errors. */
export class CommandSource {
  readonly unreadables: UnreadableText[] = [];
  readonly #source: string;
  readonly #seen = new Set<ParsedScript>();

  constructor(source: string) {
    this.#source = source;
  }

  /**
   * Positions are exact when the nested script occurs literally in the command; otherwise they are those of the
   * enclosing command.
   */
  createSpanMapper(text: Field, { span }: EvaluationFrame): EvaluationFrame['toSpan'] {
    const literal = toLiteral(text);
    const index = literal === null ? -1 : this.#source.slice(span.start, span.end).indexOf(literal);
    if (index < 0) return () => span;
    const base = span.start + index;
    return (start, end) => ({ start: base + start, end: base + end });
  }

  /**
   * Reports errors only for text that occurs in the command: a text constructed here may never exist at run
   * time.
   */
  report(errors: readonly ParseError[], text: string, frame: EvaluationFrame): void {
    const [error] = errors;
    const isWritten =
      text === this.#source || (frame.via.at(-1)?.endsWith(' -c') && this.#source.includes(text));
    if (error === undefined || !isWritten) return;
    this.#note(text, error, frame);
  }

  /** Reports the errors of a nested script once. */
  reportScript(script: ParsedScript, frame: EvaluationFrame): void {
    const [error] = script.errors ?? [];
    if (error === undefined || this.#seen.has(script)) return;
    this.#seen.add(script);
    this.#note(script.source ?? this.#source, error, frame);
  }

  #note(text: string, { message, pos }: ParseError, frame: EvaluationFrame): void {
    this.unreadables.push({ text, span: frame.toSpan(pos, pos + 1), problem: message });
  }
}
