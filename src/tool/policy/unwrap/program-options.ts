import type { OptionSpec } from '../../contract/policy-options.ts';
import { concatFields, type Field, toField, toLiteral } from '../values/field.ts';

/** An option of a program, as written in a command. */
export interface ParsedOption {
  /** `f` or `force`; `no-force` for the negated form. */
  readonly name: string;
  readonly value?: Field;
  /** The word that contains the option. */
  readonly word: Field;
}

/** The options and operands of a program. */
export interface ParsedOptions {
  readonly options: readonly ParsedOption[];
  readonly operands: readonly Field[];
}

/** Parses the words after a program name into options and operands. */
export function parseProgramOptions(words: readonly Field[], spec: OptionSpec): ParsedOptions {
  const options: ParsedOption[] = [];
  const operands: Field[] = [];
  let at = 0;
  const next = (): Field | undefined => {
    at += 1;
    return words[at];
  };
  for (; at < words.length; at += 1) {
    const word = words[at] ?? [];
    const head = leadingText(word);
    if (head === '--') return { options, operands: [...operands, ...words.slice(at + 1)] };
    if (head.startsWith('-') && head !== '-') options.push(...parseOption({ word, head, spec, next }));
    else if (spec.permute) operands.push(word);
    else return { options, operands: words.slice(at) };
  }
  return { options, operands };
}

/** Returns the text at the start of a word; `--` only when the word has no other part. */
function leadingText(word: Field): string {
  const [first] = word;
  if (first?.kind !== 'text') return '';
  return first.text === '--' && word.length > 1 ? '--…' : first.text;
}

interface OptionReading {
  readonly word: Field;
  readonly head: string;
  readonly spec: OptionSpec;
  readonly next: () => Field | undefined;
}

function parseOption(reading: OptionReading): readonly ParsedOption[] {
  return reading.head.startsWith('--') ? readLong(reading) : readCluster(reading);
}

function readLong({ word, head, spec, next }: OptionReading): readonly ParsedOption[] {
  const equals = head.indexOf('=');
  const written = head.slice(2, equals < 0 ? undefined : equals);
  const { name, takesValue } = longName(written, spec);
  if (equals >= 0)
    return [{ name, word, value: concatFields(toField(head.slice(equals + 1)), word.slice(1)) }];
  return [withValue({ name, word }, takesValue ? next() : undefined)];
}

/** Resolves an abbreviated long option when it is unambiguous. */
function longName(written: string, spec: OptionSpec): { name: string; takesValue: boolean } {
  const known = spec.long ?? [];
  const plain = known.map((name) => name.replace(/=\??$/, ''));
  const all = spec.negatable ? [...plain, ...plain.map((name) => `no-${name}`)] : plain;
  const candidates = all.filter((name) => name.startsWith(written));
  const [only = written] = candidates;
  const name = all.includes(written) || candidates.length !== 1 ? written : only;
  return { name, takesValue: known.includes(`${name}=`) };
}

function readCluster({ word, head, spec, next }: OptionReading): readonly ParsedOption[] {
  const options: ParsedOption[] = [];
  for (let index = 1; index < head.length; index += 1) {
    const name = head.charAt(index);
    const rest = concatFields(toField(head.slice(index + 1)), word.slice(1));
    if (spec.short?.includes(name)) {
      options.push(withValue({ name, word }, rest.length > 0 ? rest : next()));
      return options;
    }
    options.push(spec.attached?.includes(name) ? { name, word, value: rest } : { name, word });
    if (spec.attached?.includes(name)) return options;
  }
  return options;
}

function withValue(option: ParsedOption, value: Field | undefined): ParsedOption {
  return value === undefined ? option : { ...option, value };
}

/** Returns an option that is enabled. The last occurrence decides: `--force --no-force` is disabled. */
export function findEnabledOption(
  options: readonly ParsedOption[],
  names: readonly string[],
): ParsedOption | undefined {
  const last = options.findLast(
    ({ name }) => names.includes(name) || names.includes(name.replace(/^no-/, '')),
  );
  return last !== undefined && names.includes(last.name) ? last : undefined;
}

/** Returns the value of the last option with one of the names. */
export function optionValue(options: readonly ParsedOption[], names: readonly string[]): Field | undefined {
  return options.findLast(({ name }) => names.includes(name))?.value;
}

/**
 * Returns the value of the last option with one of the names as a string; `null` when it is absent or unknown.
 */
export function literalValue(options: readonly ParsedOption[], names: readonly string[]): string | null {
  return toLiteral(optionValue(options, names));
}
