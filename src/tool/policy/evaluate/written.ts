import type { ParsedScript, ParseError } from 'unbash';
import type { Frame } from '../state/machine.ts';
import type { Field } from '../words/atom.ts';
import { literalOf } from '../words/atom.ts';
import type { Unreadable } from './unreadable.ts';

/** The command as it was written: where the pieces of it stand, and which of them cannot be read. */
export class Written {
  readonly unreadables: Unreadable[] = [];
  readonly #source: string;
  readonly #seen = new Set<ParsedScript>();

  constructor(source: string) {
    this.#source = source;
  }

  /** Where a nested script stands in the command word for word, its positions are exact. */
  placeOf(text: Field, { span }: Frame): Frame['place'] {
    const literal = literalOf(text);
    const index = literal === null ? -1 : this.#source.slice(span.start, span.end).indexOf(literal);
    if (index < 0) return () => span;
    const base = span.start + index;
    return (start, end) => ({ start: base + start, end: base + end });
  }

  /** Only what stands in the command as it is counts: a text put together here may never exist. */
  report(errors: readonly ParseError[], text: string, frame: Frame): void {
    const [error] = errors;
    const isWritten =
      text === this.#source || (frame.via.at(-1)?.endsWith(' -c') && this.#source.includes(text));
    if (error === undefined || !isWritten) return;
    this.#note(text, error, frame);
  }

  /** A script that is part of the command, once. */
  reportScript(script: ParsedScript, frame: Frame): void {
    const [error] = script.errors ?? [];
    if (error === undefined || this.#seen.has(script)) return;
    this.#seen.add(script);
    this.#note(script.source ?? this.#source, error, frame);
  }

  #note(text: string, { message, pos }: ParseError, frame: Frame): void {
    this.unreadables.push({ text, span: frame.place(pos, pos + 1), problem: message });
  }
}
