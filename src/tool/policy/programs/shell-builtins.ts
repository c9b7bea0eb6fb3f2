import { wordList } from '../../../engine/text/word-list.ts';
import { literalValue, parseProgramOptions } from '../unwrap/program-options.ts';
import { applyAssignments, enterFrame, runInSubshell } from '../unwrap/unwrap-command.ts';
import {
  ALREADY_PRINTED,
  type CommandHandler,
  type EvaluatedCall,
  NO_OUTPUT,
} from '../values/command-evaluation.ts';
import {
  concatFields,
  type Field,
  joinFields,
  splitAt,
  splitFields,
  splitLines,
  symbolicField,
  toField,
  toLiteral,
  toSubstitutionScript,
  UNKNOWN_FIELD,
} from '../values/field.ts';
import { type FieldPath, START_PATH, toFieldPath } from '../values/field-path.ts';
import {
  readIfs,
  type ScriptState,
  setVariable,
  toArrayValue,
  uniteDirectories,
  type VariableValue,
} from '../values/script-state.ts';

/** Evaluates `eval`: its words are joined and run in the same shell. */
export const handleEval: CommandHandler = ({ argv, frame }, context) => {
  const words = toLiteral(argv[1]) === '--' ? argv.slice(2) : argv.slice(1);
  context.runTexts([joinFields(words)], enterFrame(frame, 'eval'));
  return ALREADY_PRINTED;
};

/** Evaluates `trap`: an exit trap is stored until the shell ends, other actions are evaluated at once. */
export const handleTrap: CommandHandler = ({ argv, frame }, context) => {
  const { options, operands } = parseProgramOptions(argv.slice(1), {});
  const [action, ...signals] = operands;
  if (options.length > 0 || action === undefined || signals.length === 0) return undefined;
  const text = toLiteral(action);
  if (text === '' || text === '-') return NO_OUTPUT;
  const atExit = signals.every((signal) => /^(?:(?:SIG)?EXIT|0)$/i.test(toLiteral(signal) ?? ''));
  if (atExit) frame.state.traps = [...frame.state.traps, [action]];
  else runInSubshell([action], enterFrame(frame, 'trap'), context);
  return NO_OUTPUT;
};

/** Evaluates `alias name=value`. */
export const handleAlias: CommandHandler = ({ argv, frame }) => {
  for (const word of argv.slice(1)) {
    const [first] = word;
    const match = first?.kind === 'text' ? /^([^\s=/]+)=/.exec(first.text) : null;
    if (match?.[1] === undefined || first?.kind !== 'text') continue;
    const value = concatFields(toField(first.text.slice(match[0].length)), word.slice(1));
    frame.state.set('alias', match[1], [value]);
  }
  return NO_OUTPUT;
};

/** Evaluates `shopt -s expand_aliases`. */
export const handleShopt: CommandHandler = ({ argv, frame }) => {
  const words = argv.map((word) => toLiteral(word) ?? '');
  if (words.includes('expand_aliases')) frame.state.aliasesExpand = words.includes('-s');
  return undefined;
};

/** Evaluates the command of `compgen -C`. */
export const handleCompgen: CommandHandler = ({ argv, frame }, context) => {
  const { options } = parseProgramOptions(argv.slice(1), { short: 'AGWFCXPSo' });
  for (const { name, value } of options)
    if (name === 'C' && value !== undefined) runInSubshell([value], enterFrame(frame, 'compgen -C'), context);
  return undefined;
};

/** Evaluates the substitutions that `let` expands inside array subscripts, quoted or not. */
export const handleLet: CommandHandler = ({ argv, frame }, context) => {
  for (const word of argv.slice(1))
    if (word.some((atom) => atom.kind === 'text' && /\$\(|`/.test(atom.text)))
      runInSubshell([toSubstitutionScript(word)], enterFrame(frame, 'let'), context);
  return NO_OUTPUT;
};

/** Evaluates `at` and `batch`: the script on standard input runs later. */
export const handleAt: CommandHandler = ({ argv, frame }, context) => {
  const name = toLiteral(argv[0]) ?? 'at';
  runInSubshell(frame.stdin ?? [], enterFrame(frame, name), context);
  return undefined;
};

/** Evaluates `crontab -`: each line is a schedule and a command. */
export const handleCrontab: CommandHandler = ({ frame }, context) => {
  const lines = (frame.stdin ?? []).flatMap(splitLines);
  const commands = lines.map((line): Field => {
    const [first, ...rest] = line;
    if (first?.kind !== 'text') return line;
    return concatFields(toField(first.text.replace(/^\s*(?:@\w+|(?:\S+\s+){4}\S+)\s+/, '')), rest);
  });
  runInSubshell(commands, enterFrame(frame, 'crontab'), context);
  return undefined;
};

const TMUX_RUN_VERBS = wordList(
  'new new-session neww new-window splitw split-window run run-shell respawn-pane respawn-window popup',
);

/** Evaluates commands in `tmux new-session` and similar, and the text that `send-keys` types. */
export const handleTmux: CommandHandler = ({ argv, frame }, context) => {
  const { operands } = parseProgramOptions(argv.slice(1), { short: 'cfLST' });
  const [verb, ...words] = operands;
  const name = toLiteral(verb) ?? '';
  const { operands: command } = parseProgramOptions(words, { short: 'censtxyFlp' });
  const keys = /^send(?:-keys)?$/.test(name);
  const typed = keys ? command.filter((word) => !/^(?:Enter|C-m)$/.test(toLiteral(word) ?? '')) : command;
  if (keys || TMUX_RUN_VERBS.includes(name))
    runInSubshell([joinFields(typed)], enterFrame(frame, `tmux ${name}`), context);
  return undefined;
};

/** Evaluates `cd` and `pushd`. */
export const handleCd: CommandHandler = ({ argv, frame }) => {
  const { operands } = parseProgramOptions(argv.slice(1), {});
  const targets = operands.length === 0 ? [symbolicField('home')] : operands;
  const back = toLiteral(targets[0]) === '-';
  changeDirectory(
    frame.state,
    back
      ? frame.state.cwdBefore
      : uniteDirectories(targets.map((target) => toDirectories(target, frame.state))),
  );
  return NO_OUTPUT;
};

/** Evaluates `popd`, which returns to the previous or to the starting directory. */
export const handlePopd: CommandHandler = ({ frame }) => {
  changeDirectory(frame.state, uniteDirectories([frame.state.cwdBefore, [START_PATH]]));
  return undefined;
};

function toDirectories(field: Field, state: ScriptState): readonly FieldPath[] {
  return uniteDirectories([state.cwd.map((from) => toFieldPath(field, from))]);
}

function changeDirectory(state: ScriptState, to: readonly FieldPath[]): void {
  state.cwdOnFailure = uniteDirectories([state.cwdOnFailure, state.cwd]);
  state.cwdBefore = state.cwd;
  state.cwd = to;
}

/** Evaluates `command export X=1`. Without a wrapper the assignments were already applied. */
export const handleDeclare: CommandHandler = (call) => {
  if (call.plain) {
    const { operands } = parseProgramOptions(call.argv.slice(1), {});
    applyAssignments(operands, call.frame);
  }
  return undefined;
};

/** Evaluates `unset` for variables and functions. */
export const handleUnset: CommandHandler = ({ argv, frame }) => {
  const { options, operands } = parseProgramOptions(argv.slice(1), {});
  const kind = options.some(({ name }) => name === 'f') ? 'function' : 'variable';
  for (const word of operands) {
    const name = toLiteral(word);
    if (name === null) continue;
    if (kind === 'variable') frame.state.set('variable', name, { options: [[]] });
    else frame.state.set('function', name, null);
  }
  return NO_OUTPUT;
};

/** Evaluates `set -- a b` and `set -e`. */
export const handleSet: CommandHandler = ({ argv, frame }) => {
  const { options, operands } = parseProgramOptions(argv.slice(1), { short: 'o' });
  const texts = argv.slice(1).map((word) => toLiteral(word) ?? '');
  if (options.some(({ name, value }) => name === 'e' || toLiteral(value) === 'errexit'))
    frame.state.errexit = true;
  if (texts.some((text) => /^\+[a-z]*e/.test(text))) frame.state.errexit = false;
  const given = operands.filter((word) => !toLiteral(word)?.startsWith('+'));
  if (given.length > 0 || texts.includes('--')) frame.state.positional = given.map((word) => [word]);
  return NO_OUTPUT;
};

/** Evaluates `shift`. */
export const handleShift: CommandHandler = ({ argv, frame }) => {
  const { positional } = frame.state;
  const count = Number(toLiteral(argv[1]) ?? 1);
  if (positional !== null) frame.state.positional = positional.slice(Number.isNaN(count) ? 1 : count);
  return NO_OUTPUT;
};

/** Evaluates `read x y`: each line of the input is an alternative, since loops read all of them. */
export const handleRead: CommandHandler = (call) => {
  const { options, operands } = parseProgramOptions(call.argv.slice(1), { short: 'adinNptu' });
  const lines = inputLines(call);
  const array = literalValue(options, ['a']);
  const ifs = readIfs(call.frame.state);
  if (array !== null)
    storeValues(
      call,
      array,
      lines.map((line) => toArrayValue(splitFields(line, ifs))),
    );
  const names = operands.map(toLiteral);
  for (const [index, name] of names.entries()) {
    const last = index === names.length - 1;
    const values = lines.map((line) => pickReadField(splitFields(line, ifs), { index, last, line }));
    if (name !== null) storeValues(call, name, values);
  }
  if (names.length === 0) storeValues(call, 'REPLY', lines);
  return NO_OUTPUT;
};

interface ReadPosition {
  readonly index: number;
  readonly last: boolean;
  readonly line: Field;
}

/** The last variable takes the rest of the line. */
function pickReadField(fields: readonly Field[], { index, last, line }: ReadPosition): Field {
  if (!last) return fields[index] ?? [];
  if (index === 0) return fields.length === 1 ? (fields[0] ?? []) : line;
  return joinFields(fields.slice(index));
}

/** Evaluates `mapfile` and `readarray`. */
export const handleMapfile: CommandHandler = (call, context) => {
  const { options, operands } = parseProgramOptions(call.argv.slice(1), { short: 'dnOsuCc' });
  const callback = options.find(({ name }) => name === 'C')?.value;
  if (callback !== undefined) context.runTexts([callback], { ...call.frame, depth: call.frame.depth + 1 });
  const name = operands[0] === undefined ? 'MAPFILE' : toLiteral(operands[0]);
  const descriptor = literalValue(options, ['u']);
  const texts = descriptor === null ? call.frame.stdin : call.descriptors.get(Number(descriptor));
  const split = (text: Field): readonly Field[] => splitInput(text, literalValue(options, ['d']));
  if (name !== null)
    storeValues(
      call,
      name,
      (texts ?? [UNKNOWN_FIELD]).map((text) => toArrayValue(split(text))),
    );
  return NO_OUTPUT;
};

/** Evaluates `getopts`, which sets its variable to an unknown value. */
export const handleGetopts: CommandHandler = (call) => {
  const name = toLiteral(call.argv[2]);
  if (name !== null) storeValues(call, name, [UNKNOWN_FIELD]);
  return NO_OUTPUT;
};

function inputLines({ frame, argv, descriptors }: EvaluatedCall): readonly Field[] {
  const { options } = parseProgramOptions(argv.slice(1), { short: 'adinNptu' });
  const descriptor = literalValue(options, ['u']);
  const texts = descriptor === null ? frame.stdin : descriptors.get(Number(descriptor));
  return (texts ?? [UNKNOWN_FIELD]).flatMap((text) => splitInput(text, literalValue(options, ['d'])));
}

/** Splits the input of `read` and `mapfile`. An empty delimiter means NUL; `null` means a line end. */
function splitInput(text: Field, delimiter: string | null): readonly Field[] {
  if (delimiter === null || delimiter === '\n') return splitLines(text);
  return splitAt(text, delimiter.slice(0, 1) || '\0').filter((piece) => piece.length > 0);
}

function storeValues({ frame }: EvaluatedCall, name: string, values: readonly VariableValue[]): void {
  setVariable(frame.state, name, { values: values.length === 0 ? [UNKNOWN_FIELD] : values, append: false });
}
