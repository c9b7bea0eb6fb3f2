import type {
  CommandExpansionPart,
  DoubleQuotedPart,
  LocaleStringPart,
  ProcessSubstitutionPart,
  Word,
  WordPart,
} from 'unbash';
import { loadUnbash } from '../../syntax/parse-script.ts';
import { expandBraces } from './brace-expansion.ts';
import type { EvaluationFrame, HandlerContext } from './command-evaluation.ts';
import {
  concatFields,
  type Field,
  joinFields,
  OVERFLOW_FIELD,
  symbolicField,
  toField,
  UNKNOWN_FIELD,
  withoutNul,
} from './field.ts';
import { FieldBuilder } from './field-builder.ts';
import { fromFieldPath } from './field-path.ts';
import { type ExpansionContext, expandParameter, expandSimple } from './parameter-expansion.ts';
import { readIfs } from './script-state.ts';
import type { ValueChoices } from './value-choices.ts';

const MAX_BRACES = 4_096;

/** Expands words for one combination of alternative values. */
export class WordExpander implements ExpansionContext {
  readonly context: HandlerContext;
  readonly frame: EvaluationFrame;
  readonly choices: ValueChoices;
  /** Results of substitutions, which are evaluated once for all combinations. */
  readonly #captured: Map<WordPart, readonly Field[]>;

  constructor({ context, frame, captured }: WordExpanderInput, choices: ValueChoices) {
    this.context = context;
    this.frame = frame;
    this.choices = choices;
    this.#captured = captured;
  }

  /** Expands a command word to any number of fields. */
  fields(word: Word): readonly Field[] {
    if (word.parts === undefined) return [this.#literalWord(word)];
    if (word.parts.some(({ type }) => type === 'BraceExpansion')) return this.#braces(word);
    return this.#build(word.parts, 'command').finish();
  }

  /** Expands a word that is not split: an assigned value, a here-string or the target of a redirection. */
  single(word: Word, purpose: 'assignment' | 'text' = 'assignment'): Field {
    if (word.parts === undefined)
      return purpose === 'assignment' ? this.#assignedTildes(word.text) : this.context.decode(word.value);
    return concatFields(...this.#build(word.parts, purpose).finish());
  }

  /** Expands the body of a here-document. */
  body(parts: readonly WordPart[]): Field {
    return concatFields(...this.#build(parts, 'text').finish());
  }

  /** Expands a word as a pattern; quoted text is literal. */
  pattern(word: Word): Field {
    return word.parts === undefined
      ? this.context.decode(word.value)
      : concatFields(...this.#build(word.parts, 'pattern').finish());
  }

  get ifs(): string {
    return readIfs(this.frame.state);
  }

  capture(part: CommandExpansionPart | ProcessSubstitutionPart): readonly Field[] {
    const known = this.#captured.get(part);
    if (known !== undefined) return known;
    const { script } = part;
    const label = part.type === 'ProcessSubstitution' ? `${part.operator}( )` : '$( )';
    const decoded = script?.source !== undefined;
    const span = this.frame.toSpan(part.pos, part.end);
    const frame = {
      ...this.frame,
      via: [...this.frame.via, label],
      toSpan: decoded ? () => span : this.frame.toSpan,
    };
    const texts = script === undefined ? [UNKNOWN_FIELD] : this.context.capture(script, frame);
    this.#captured.set(part, texts);
    return texts;
  }

  #literalWord(word: Word): Field {
    const { text } = word;
    if (!text.startsWith('~')) return this.context.decode(word.value);
    return this.#tilde(text) ?? this.context.decode(word.value);
  }

  /** Expands `~`, `~/x` and `~name/x`; a backslash before the first slash prevents it. */
  #tilde(text: string): Field | null {
    const match = /^~([^/\\]*)(\/.*)?$/s.exec(text);
    if (match === null) return null;
    const [, name = '', rest = ''] = match;
    return concatFields(this.#tildePrefix(name), this.context.decode(unescapeBare(rest)));
  }

  #tildePrefix(name: string): Field {
    if (name === '+') return fromFieldPath(this.frame.state.cwd[0] ?? { base: 'start', up: 0, names: [] });
    return name === '-' ? UNKNOWN_FIELD : symbolicField('home');
  }

  /** In an assigned value a tilde is also expanded after each colon. */
  #assignedTildes(text: string): Field {
    if (!text.includes('~')) return this.context.decode(unescapeBare(text));
    const pieces = text
      .split(':')
      .map(
        (piece) =>
          (piece.startsWith('~') ? this.#tilde(piece) : null) ?? this.context.decode(unescapeBare(piece)),
      );
    return joinFields(pieces, toField(':'));
  }

  #braces(word: Word): readonly Field[] {
    const texts = expandBraces(word.text, MAX_BRACES);
    if (texts === null) return [OVERFLOW_FIELD];
    this.context.budget.spend(texts.length);
    return texts.flatMap((text) =>
      /^[\w./@%+=:,-]*$/.test(text) ? (text === '' ? [] : [toField(text)]) : this.#reread(text),
    );
  }

  #reread(text: string): readonly Field[] {
    const [statement] = loadUnbash().parse(`: ${text}`).commands;
    const command = statement?.command;
    const word =
      command?.type === 'Command' ? command.suffix.find((item) => item.type === 'Word') : undefined;
    if (word === undefined) return [];
    if (word.parts === undefined) return [this.#literalWord(word)];
    return this.#build(word.parts, 'command').finish();
  }

  #build(parts: readonly WordPart[], purpose: ExpansionPurpose): FieldBuilder {
    const builder = new FieldBuilder(purpose === 'command' ? this.ifs : '');
    parts.forEach((part, index) => {
      const next = parts[index + 1];
      const tilde =
        index === 0 && part.type === 'Literal' && purpose !== 'text'
          ? this.#leadingTilde(part.text, next)
          : null;
      if (tilde === null) this.#part(part, { builder, purpose });
      else builder.bare(tilde);
    });
    return builder;
  }

  /** A tilde before a quote is literal unless a slash comes first. */
  #leadingTilde(text: string, next: WordPart | undefined): Field | null {
    if (!text.startsWith('~') || (!text.includes('/') && next !== undefined)) return null;
    return this.#tilde(text);
  }

  #part(part: WordPart, to: BuildTarget): void {
    switch (part.type) {
      case 'Literal':
        to.builder.bare(this.context.decode(part.value));
        return;
      case 'SingleQuoted':
      case 'AnsiCQuoted':
        to.builder.quoted(this.context.decode(part.value));
        return;
      case 'DoubleQuoted':
      case 'LocaleString':
        this.#quotedParts(part, to);
        return;
      case 'Glob':
      case 'ExtendedGlob':
        to.builder.bare(this.#glob(part.text, to.purpose));
        return;
      default:
        this.#expansion(part, { ...to, quoted: to.purpose !== 'command' });
    }
  }

  #glob(text: string, purpose: ExpansionPurpose): Field {
    return purpose === 'command' || purpose === 'pattern' ? [{ kind: 'glob', text }] : toField(text);
  }

  #quotedParts(part: DoubleQuotedPart | LocaleStringPart, to: BuildTarget): void {
    if (part.parts.length === 0) to.builder.quoted([]);
    for (const child of part.parts) {
      if (child.type === 'Literal') to.builder.quoted(this.context.decode(child.value));
      else this.#expansion(child, { ...to, quoted: true });
    }
  }

  #expansion(part: WordPart, { builder, quoted }: BuildTarget & { readonly quoted: boolean }): void {
    const lists = this.#values(part, quoted);
    lists.forEach((field, index) => {
      if (index > 0) builder.endField();
      if (quoted) builder.quoted(field);
      else builder.expanded(field);
    });
  }

  /** The result of arithmetic is unknown, but its substitutions run. */
  #sum(part: WordPart): readonly Field[] {
    if (!this.#captured.has(part)) {
      this.#captured.set(part, [UNKNOWN_FIELD]);
      this.context.visit(part, this.frame);
    }
    return [UNKNOWN_FIELD];
  }

  /** Returns one field, or several when the expansion keeps its elements separate. */
  #values(part: WordPart, quoted: boolean): readonly Field[] {
    switch (part.type) {
      case 'SimpleExpansion':
        return expandSimple(part.text.replaceAll('\\\n', '').slice(1), { expander: this, quoted });
      case 'ParameterExpansion':
        return expandParameter(part, { expander: this, quoted });
      case 'CommandExpansion': {
        const texts = this.capture(part).map(withoutNul);
        return [texts.length === 0 ? UNKNOWN_FIELD : this.choices.field(`$( ) at ${part.pos}`, texts)];
      }
      case 'ProcessSubstitution':
        return [[{ kind: 'stream', content: this.capture(part) }]];
      default:
        return this.#sum(part);
    }
  }
}

interface WordExpanderInput {
  readonly context: HandlerContext;
  readonly frame: EvaluationFrame;
  readonly captured: Map<WordPart, readonly Field[]>;
}

type ExpansionPurpose = 'command' | 'assignment' | 'text' | 'pattern';

interface BuildTarget {
  readonly builder: FieldBuilder;
  readonly purpose: ExpansionPurpose;
}

function unescapeBare(text: string): string {
  return text.replace(/\\([\s\S])/g, (_, char: string) => (char === '\n' ? '' : char));
}
