import type { Field } from '../words/atom.ts';
import { literalOf, toField } from '../words/atom.ts';
import { concat } from '../words/join.ts';

/** The options a program knows. */
export interface OptionSpec {
  /** Letters that take a value, attached or as the next word. */
  readonly short?: string;
  /** Letters that take a value only if it is attached. */
  readonly attached?: string;
  /** Long names; `name=` takes a value, `name=?` only with an equals sign. */
  readonly long?: readonly string[];
  /** Whether options may come after operands (GNU, git); otherwise the first operand ends them. */
  readonly permute?: boolean;
  /** Whether every long option also has a `--no-` form (git). */
  readonly negatable?: boolean;
}

export interface Option {
  /** `f` or `force`; `no-force` for the negated form. */
  readonly name: string;
  readonly value?: Field;
  /** The word it came from. */
  readonly word: Field;
}

export interface Options {
  readonly options: readonly Option[];
  readonly operands: readonly Field[];
}

/** Reads the words after a program's name as the program would. */
export function parseOptions(words: readonly Field[], spec: OptionSpec): Options {
  const options: Option[] = [];
  const operands: Field[] = [];
  let at = 0;
  const next = (): Field | undefined => {
    at += 1;
    return words[at];
  };
  for (; at < words.length; at += 1) {
    const word = words[at] ?? [];
    const head = headOf(word);
    if (head === '--') return { options, operands: [...operands, ...words.slice(at + 1)] };
    if (head.startsWith('-') && head !== '-') options.push(...readOption({ word, head, spec, next }));
    else if (spec.permute) operands.push(word);
    else return { options, operands: words.slice(at) };
  }
  return { options, operands };
}

/** The text a word starts with; `--` only if nothing follows it. */
function headOf(word: Field): string {
  const [first] = word;
  if (first?.kind !== 'text') return '';
  return first.text === '--' && word.length > 1 ? '--…' : first.text;
}

interface Reading {
  readonly word: Field;
  readonly head: string;
  readonly spec: OptionSpec;
  readonly next: () => Field | undefined;
}

function readOption(reading: Reading): readonly Option[] {
  return reading.head.startsWith('--') ? readLong(reading) : readCluster(reading);
}

function readLong({ word, head, spec, next }: Reading): readonly Option[] {
  const equals = head.indexOf('=');
  const written = head.slice(2, equals < 0 ? undefined : equals);
  const { name, takesValue } = longName(written, spec);
  if (equals >= 0) return [{ name, word, value: concat(toField(head.slice(equals + 1)), word.slice(1)) }];
  return [withValue({ name, word }, takesValue ? next() : undefined)];
}

/** An abbreviation counts if it can only mean one option. */
function longName(written: string, spec: OptionSpec): { name: string; takesValue: boolean } {
  const known = spec.long ?? [];
  const plain = known.map((name) => name.replace(/=\??$/, ''));
  const all = spec.negatable ? [...plain, ...plain.map((name) => `no-${name}`)] : plain;
  const candidates = all.filter((name) => name.startsWith(written));
  const [only = written] = candidates;
  const name = all.includes(written) || candidates.length !== 1 ? written : only;
  return { name, takesValue: known.includes(`${name}=`) };
}

function readCluster({ word, head, spec, next }: Reading): readonly Option[] {
  const options: Option[] = [];
  for (let index = 1; index < head.length; index += 1) {
    const name = head.charAt(index);
    const rest = concat(toField(head.slice(index + 1)), word.slice(1));
    if (spec.short?.includes(name)) {
      options.push(withValue({ name, word }, rest.length > 0 ? rest : next()));
      return options;
    }
    options.push(spec.attached?.includes(name) ? { name, word, value: rest } : { name, word });
    if (spec.attached?.includes(name)) return options;
  }
  return options;
}

function withValue(option: Option, value: Field | undefined): Option {
  return value === undefined ? option : { ...option, value };
}

/** Whether an option is on, the last mention deciding: `--force --no-force` is off. */
export function isOn(options: readonly Option[], names: readonly string[]): Option | undefined {
  const last = options.findLast(
    ({ name }) => names.includes(name) || names.includes(name.replace(/^no-/, '')),
  );
  return last !== undefined && names.includes(last.name) ? last : undefined;
}

export function optionValue(options: readonly Option[], names: readonly string[]): Field | undefined {
  return options.findLast(({ name }) => names.includes(name))?.value;
}

export function literalValue(options: readonly Option[], names: readonly string[]): string | null {
  return literalOf(optionValue(options, names));
}
