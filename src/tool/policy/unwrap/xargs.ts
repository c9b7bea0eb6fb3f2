import type { Call, Handler } from '../state/machine.ts';
import { WRITTEN } from '../state/machine.ts';
import { readFile } from '../state/stored-file.ts';
import type { Atom, Field } from '../words/atom.ts';
import { literalOf, toField, UNKNOWN } from '../words/atom.ts';
import { concat } from '../words/join.ts';
import { cutAt, linesOf, splitFields } from '../words/lines.ts';
import type { Option } from './options.ts';
import { literalValue, optionValue, parseOptions } from './options.ts';
import { inside, joinWords, runApart } from './unwrap.ts';

const SPEC = {
  short: 'adEILnPsSJR',
  attached: 'eil',
  long: [
    'arg-file=',
    'delimiter=',
    'eof=?',
    'replace=?',
    'max-lines=?',
    'max-args=',
    'max-procs=',
    'max-chars=',
    'process-slot-var=',
  ],
};

/** Performs the command with what can be read as its further words. */
export const xargs: Handler = (call, machine) => {
  const { options, operands } = parseOptions(call.argv.slice(1), SPEC);
  const command = operands.length === 0 ? [toField('echo')] : operands;
  const frame = { ...inside(call.frame, 'xargs'), stdin: undefined, piped: false };
  const placeholder = placeholderOf(options);
  const texts = input(call, options);
  for (const text of texts.length === 0 ? [UNKNOWN] : texts) {
    const items = itemsOf(text, options);
    machine.budget.spend(items.length);
    if (placeholder === null) machine.perform({ ...call, frame, argv: [...command, ...items], plain: true });
    else
      for (const item of items)
        machine.perform({
          ...call,
          frame,
          argv: command.map((word) => replace(word, placeholder, item)),
          plain: true,
        });
  }
  return WRITTEN;
};

function input(call: Call, options: readonly Option[]): readonly Field[] {
  const file = optionValue(options, ['a', 'arg-file']);
  return file === undefined ? (call.frame.stdin ?? [UNKNOWN]) : readFile(file, call);
}

function placeholderOf(options: readonly Option[]): string | null {
  const option = options.findLast(({ name }) => ['I', 'i', 'J', 'replace'].includes(name));
  if (option === undefined) return null;
  return literalOf(option.value) || '{}';
}

function itemsOf(text: Field, options: readonly Option[]): readonly Field[] {
  const has = (name: string): boolean => options.some((option) => option.name === name);
  if (has('0') || has('null')) return cutAt(text, '\0').filter((item) => item.length > 0);
  const delimiter = literalValue(options, ['d', 'delimiter']);
  if (delimiter !== null)
    return cutAt(text, delimiter === '\\n' ? '\n' : delimiter === '\\0' ? '\0' : delimiter).filter(
      (item) => item.length > 0,
    );
  if (placeholderOf(options) !== null) return linesOf(text);
  return splitFields(text, ' \t\n').map(unquote);
}

/** xargs takes quotes and backslashes off by itself. */
function unquote(field: Field): Field {
  return field.map(
    (atom): Atom => (atom.kind === 'text' ? { kind: 'text', text: atom.text.replace(/['"\\]/g, '') } : atom),
  );
}

export function replace(word: Field, placeholder: string, item: Field): Field {
  return concat(
    ...word.flatMap((atom): readonly Field[] => {
      if (atom.kind !== 'text' || !atom.text.includes(placeholder)) return [[atom]];
      return atom.text
        .split(placeholder)
        .flatMap((piece, index) => (index === 0 ? [toField(piece)] : [item, toField(piece)]));
    }),
  );
}

/** GNU parallel: the command is a text for a shell, the words come after `:::` or from standard input. */
export const parallel: Handler = (call, machine) => {
  const { operands } = parseOptions(call.argv.slice(1), {
    short: 'jaNnLIsSC',
    long: ['jobs=', 'colsep=', 'arg-file=', 'delay=', 'joblog='],
  });
  const at = operands.findIndex((word) => /^:::\+?$/.test(literalOf(word) ?? ''));
  const command = joinWords(at < 0 ? operands : operands.slice(0, at));
  const items = at < 0 ? (call.frame.stdin ?? [UNKNOWN]).flatMap(linesOf) : operands.slice(at + 1);
  const frame = { ...inside(call.frame, 'parallel'), stdin: undefined, piped: false };
  for (const item of items) {
    machine.budget.spend();
    const filled = replace(command, '{}', item);
    const used = command.some((atom) => atom.kind === 'text' && atom.text.includes('{}'));
    runApart([command.length === 0 ? item : used ? filled : joinWords([command, item])], frame, machine);
  }
  return undefined;
};
