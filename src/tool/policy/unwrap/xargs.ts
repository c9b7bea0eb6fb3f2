import { wordList } from '../../../engine/text/word-list.ts';
import {
  ALREADY_PRINTED,
  type CommandHandler,
  type EvaluatedCall,
  readKnownFile,
} from '../values/command-evaluation.ts';
import {
  type Atom,
  concatFields,
  type Field,
  joinFields,
  splitAt,
  splitFields,
  splitLines,
  toField,
  toLiteral,
  UNKNOWN_FIELD,
} from '../values/field.ts';
import { literalValue, optionValue, type ParsedOption, parseProgramOptions } from './program-options.ts';
import { enterFrame, runInSubshell } from './unwrap-command.ts';

const XARGS_OPTIONS = {
  short: 'adEILnPsSJR',
  attached: 'eil',
  long: wordList(`
    arg-file= delimiter= eof=? replace=? max-lines=? max-args= max-procs= max-chars= process-slot-var=
  `),
};

/** Evaluates the command of `xargs` with the words of its input as arguments. */
export const handleXargs: CommandHandler = (call, context) => {
  const { options, operands } = parseProgramOptions(call.argv.slice(1), XARGS_OPTIONS);
  const command = operands.length === 0 ? [toField('echo')] : operands;
  const frame = { ...enterFrame(call.frame, 'xargs'), stdin: undefined, piped: false };
  const placeholder = findPlaceholder(options);
  const texts = readXargsInput(call, options);
  for (const text of texts.length === 0 ? [UNKNOWN_FIELD] : texts) {
    const items = toXargsItems(text, options);
    context.budget.spend(items.length);
    const lists =
      placeholder === null
        ? [[...command, ...items]]
        : items.map((item) => command.map((word) => replacePlaceholder(word, placeholder, item)));
    for (const argv of lists) context.perform({ ...call, frame, argv, plain: true });
  }
  return ALREADY_PRINTED;
};

function readXargsInput(call: EvaluatedCall, options: readonly ParsedOption[]): readonly Field[] {
  const file = optionValue(options, ['a', 'arg-file']);
  return file === undefined ? (call.frame.stdin ?? [UNKNOWN_FIELD]) : readKnownFile(file, call);
}

function findPlaceholder(options: readonly ParsedOption[]): string | null {
  const option = options.findLast(({ name }) => ['I', 'i', 'J', 'replace'].includes(name));
  if (option === undefined) return null;
  return toLiteral(option.value) || '{}';
}

function toXargsItems(text: Field, options: readonly ParsedOption[]): readonly Field[] {
  const has = (name: string): boolean => options.some((option) => option.name === name);
  if (has('0') || has('null')) return splitAt(text, '\0').filter((item) => item.length > 0);
  const delimiter = literalValue(options, ['d', 'delimiter']);
  if (delimiter !== null)
    return splitAt(text, delimiter === '\\n' ? '\n' : delimiter === '\\0' ? '\0' : delimiter).filter(
      (item) => item.length > 0,
    );
  if (findPlaceholder(options) !== null) return splitLines(text);
  return splitFields(text, ' \t\n').map(unquoteItem);
}

/** Removes the quotes and backslashes that xargs interprets itself. */
function unquoteItem(field: Field): Field {
  return field.map(
    (atom): Atom => (atom.kind === 'text' ? { kind: 'text', text: atom.text.replace(/['"\\]/g, '') } : atom),
  );
}

/** Replaces a placeholder such as `{}` in a word. */
export function replacePlaceholder(word: Field, placeholder: string, item: Field): Field {
  return concatFields(
    ...word.flatMap((atom): readonly Field[] => {
      if (atom.kind !== 'text' || !atom.text.includes(placeholder)) return [[atom]];
      return atom.text
        .split(placeholder)
        .flatMap((piece, index) => (index === 0 ? [toField(piece)] : [item, toField(piece)]));
    }),
  );
}

/**
 * Evaluates GNU `parallel`: the command is shell text, its arguments follow `:::` or come from standard input.
 */
export const handleParallel: CommandHandler = (call, context) => {
  const { operands } = parseProgramOptions(call.argv.slice(1), {
    short: 'jaNnLIsSC',
    long: ['jobs=', 'colsep=', 'arg-file=', 'delay=', 'joblog='],
  });
  const at = operands.findIndex((word) => /^:::\+?$/.test(toLiteral(word) ?? ''));
  const command = joinFields(at < 0 ? operands : operands.slice(0, at));
  const items = at < 0 ? (call.frame.stdin ?? [UNKNOWN_FIELD]).flatMap(splitLines) : operands.slice(at + 1);
  const frame = { ...enterFrame(call.frame, 'parallel'), stdin: undefined, piped: false };
  for (const item of items) {
    context.budget.spend();
    const filled = replacePlaceholder(command, '{}', item);
    const used = command.some((atom) => atom.kind === 'text' && atom.text.includes('{}'));
    runInSubshell(
      [command.length === 0 ? item : used ? filled : joinFields([command, item])],
      frame,
      context,
    );
  }
  return undefined;
};
