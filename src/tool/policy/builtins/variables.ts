import { setVariable } from '../state/assign-value.ts';
import type { Call, Handler } from '../state/machine.ts';
import { SILENT } from '../state/machine.ts';
import type { Value } from '../state/value.ts';
import { toArray } from '../state/value.ts';
import { literalValue, parseOptions } from '../unwrap/options.ts';
import { takeAssignments } from '../unwrap/unwrap.ts';
import type { Field } from '../words/atom.ts';
import { literalOf, toField, UNKNOWN } from '../words/atom.ts';
import { concat } from '../words/join.ts';
import { linesOf, splitFields } from '../words/lines.ts';

/** `command export X=1`: written as plain words; as a command of its own the words were assignments already. */
export const declare: Handler = (call) => {
  if (call.plain) {
    const { operands } = parseOptions(call.argv.slice(1), {});
    takeAssignments(operands, call.frame);
  }
  return undefined;
};

export const unset: Handler = ({ argv, frame }) => {
  const { options, operands } = parseOptions(argv.slice(1), {});
  const kind = options.some(({ name }) => name === 'f') ? 'function' : 'variable';
  for (const word of operands) {
    const name = literalOf(word);
    if (name === null) continue;
    if (kind === 'variable') frame.state.set('variable', name, { options: [[]] });
    else frame.state.set('function', name, null);
  }
  return SILENT;
};

/** `set -- a b` gives positional parameters; `set -e` ends the shell at the first failure. */
export const set: Handler = ({ argv, frame }) => {
  const { options, operands } = parseOptions(argv.slice(1), { short: 'o' });
  const texts = argv.slice(1).map((word) => literalOf(word) ?? '');
  if (options.some(({ name, value }) => name === 'e' || literalOf(value) === 'errexit'))
    frame.state.errexit = true;
  if (texts.some((text) => /^\+[a-z]*e/.test(text))) frame.state.errexit = false;
  const given = operands.filter((word) => !literalOf(word)?.startsWith('+'));
  if (given.length > 0 || texts.includes('--')) frame.state.positional = given.map((word) => [word]);
  return SILENT;
};

export const shift: Handler = ({ argv, frame }) => {
  const { positional } = frame.state;
  const count = Number(literalOf(argv[1]) ?? 1);
  if (positional !== null) frame.state.positional = positional.slice(Number.isNaN(count) ? 1 : count);
  return SILENT;
};

/** `read x y`: any line of what is there, since loops read them all. */
export const read: Handler = (call) => {
  const { options, operands } = parseOptions(call.argv.slice(1), { short: 'adinNptu' });
  const lines = inputLines(call);
  const array = literalValue(options, ['a']);
  const ifs = separators(call);
  if (array !== null)
    store(
      call,
      array,
      lines.map((line) => toArray(splitFields(line, ifs))),
    );
  const names = operands.map(literalOf);
  for (const [index, name] of names.entries()) {
    const last = index === names.length - 1;
    const values = lines.map((line) => pick(splitFields(line, ifs), { index, last, line }));
    if (name !== null) store(call, name, values);
  }
  if (names.length === 0) store(call, 'REPLY', lines);
  return SILENT;
};

interface Pick {
  readonly index: number;
  readonly last: boolean;
  readonly line: Field;
}

/** The last name takes the rest of the line. */
function pick(fields: readonly Field[], { index, last, line }: Pick): Field {
  if (!last) return fields[index] ?? [];
  if (index === 0) return fields.length === 1 ? (fields[0] ?? []) : line;
  return concat(...fields.slice(index).flatMap((field, at) => (at === 0 ? [field] : [toField(' '), field])));
}

/** `mapfile -t lines`. */
export const mapfile: Handler = (call, machine) => {
  const { options, operands } = parseOptions(call.argv.slice(1), { short: 'dnOsuCc' });
  const callback = options.find(({ name }) => name === 'C')?.value;
  if (callback !== undefined) machine.runTexts([callback], { ...call.frame, depth: call.frame.depth + 1 });
  const name = operands[0] === undefined ? 'MAPFILE' : literalOf(operands[0]);
  const { stdin } = call.frame;
  if (name !== null)
    store(
      call,
      name,
      (stdin ?? [UNKNOWN]).map((text) => toArray(linesOf(text))),
    );
  return SILENT;
};

export const getopts: Handler = (call) => {
  const name = literalOf(call.argv[2]);
  if (name !== null) store(call, name, [UNKNOWN]);
  return SILENT;
};

function inputLines({ frame, argv, descriptors }: Call): readonly Field[] {
  const { options } = parseOptions(argv.slice(1), { short: 'adinNptu' });
  const descriptor = literalValue(options, ['u']);
  const texts = descriptor === null ? frame.stdin : descriptors.get(Number(descriptor));
  return (texts ?? [UNKNOWN]).flatMap(linesOf);
}

function separators({ frame }: Call): string {
  const value = frame.state.get('variable', 'IFS')?.options.at(-1);
  return (value !== undefined && !('items' in value) ? literalOf(value) : null) ?? ' \t\n';
}

function store({ frame }: Call, name: string, values: readonly Value[]): void {
  setVariable(frame.state, name, { values: values.length === 0 ? [UNKNOWN] : values, append: false });
}
