import { ownProperty } from '../../../engine/text/own-property.ts';
import { wordList } from '../../../engine/text/word-list.ts';
import { optionValue, parseProgramOptions } from '../unwrap/program-options.ts';
import { enterFrame, runInSubshell } from '../unwrap/unwrap-command.ts';
import {
  type CommandHandler,
  type EvaluatedCall,
  readKnownFile,
  readStoredText,
} from '../values/command-evaluation.ts';
import { concatFields, type Field, toField, toLiteral, UNKNOWN_FIELD } from '../values/field.ts';

/** Options whose value is run as a command, by program. The value is attached with `=` or is the next word. */
const EXEC_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  tar: wordList(`
    --to-command --checkpoint-action=exec --use-compress-program -I --rsh-command --info-script -F
  `),
  rsync: ['-e', '--rsh', '--rsync-path'],
  ssh: ['ProxyCommand', '-oProxyCommand', 'LocalCommand', '-oLocalCommand', 'KnownHostsCommand'],
  scp: ['ProxyCommand', '-oProxyCommand', '-S'],
  man: ['-P', '--pager'],
  sort: ['--compress-program'],
  zip: ['-TT', '--unzip-command'],
  expect: ['-c'],
};

/** Programs with options whose value is run as a command. */
export const EXEC_OPTION_PROGRAMS: readonly string[] = Object.keys(EXEC_OPTIONS);

/** Evaluates the commands in the option values of such programs. */
export const handleExecOptions: CommandHandler = ({ argv, frame }, context) => {
  const name = toLiteral(argv[0])?.replace(/.*\//, '') ?? '';
  for (const [index, word] of argv.entries()) {
    for (const option of ownProperty(EXEC_OPTIONS, name) ?? []) {
      const value = valueAfter(word, option) ?? (toLiteral(word) === option ? argv[index + 1] : undefined);
      if (value !== undefined) runInSubshell([value], enterFrame(frame, `${name} ${option}`), context);
    }
  }
  return undefined;
};

function valueAfter(word: Field, option: string): Field | undefined {
  const [first, ...rest] = word;
  const prefix = `${option}=`;
  if (first?.kind !== 'text' || !first.text.startsWith(prefix)) return undefined;
  return concatFields(toField(first.text.slice(prefix.length)), rest);
}

/** Editors whose scripts can run shell commands. */
export const EDITOR_NAMES: readonly string[] = ['vim', 'vi', 'nvim', 'view', 'ex', 'ed'];

const EDITOR_SHELL_COMMAND =
  /^\+?\s*:?\s*(?:sil(?:ent)?!?\s+)?(?:r(?:ead)?\s*|w(?:rite)?\s*|%|\d*,?\d*)?!\s*(.+)$/s;

/**
 * Evaluates shell commands after `!` in `vim -c '!command'`, `vim '+!command'` and the input of `ed` and `ex`.
 */
export const handleEditor: CommandHandler = ({ argv, frame }, context) => {
  const name = toLiteral(argv[0])?.replace(/.*\//, '') ?? 'vi';
  const given = argv.filter((word, index) => isEditorScript(word, argv[index - 1]));
  const read = /^(?:ed|ex)$/.test(name) ? (frame.stdin ?? []) : [];
  for (const text of [...given, ...read])
    for (const line of (toLiteral(text) ?? '').split('\n')) {
      const [, command] = EDITOR_SHELL_COMMAND.exec(line) ?? [];
      if (command !== undefined) runInSubshell([toField(command)], enterFrame(frame, name), context);
    }
  return undefined;
};

function isEditorScript(word: Field, before: Field | undefined): boolean {
  return /^(?:-c|--cmd)$/.test(toLiteral(before) ?? '') || (toLiteral(word)?.startsWith('+') ?? false);
}

const SED_EXEC_COMMAND =
  /(?:^|[;{}\n])\s*(?:\d+|\$|\/(?:[^/\\]|\\.)*\/)?(?:,(?:\d+|\$|\/(?:[^/\\]|\\.)*\/))?!?\s*e\s+([^\n]+)/g;
const SED_EXEC_SUBSTITUTE = /s([^\w\s\\])(?:(?!\1)[^\\]|\\.)*\1((?:(?!\1)[^\\]|\\.)*)\1[a-zA-Z0-9]*e/g;

/** Evaluates the commands that GNU sed runs: the text after `e`, and the result of `s///e`. */
export const handleSedExec: CommandHandler = ({ argv, frame }, context) => {
  const { options, operands } = parseProgramOptions(argv.slice(1), {
    short: 'efl',
    long: ['expression=', 'file=', 'line-length='],
  });
  const given = options.flatMap(({ name, value }) =>
    /^(?:e|expression)$/.test(name) && value ? [value] : [],
  );
  for (const field of given.length > 0 ? given : operands.slice(0, 1)) {
    const script = toLiteral(field) ?? '';
    const commands = [
      ...[...script.matchAll(SED_EXEC_COMMAND)].map((match) => match[1] ?? ''),
      ...[...script.matchAll(SED_EXEC_SUBSTITUTE)].map((match) => match[2] ?? ''),
    ];
    for (const command of commands) runInSubshell([toField(command)], enterFrame(frame, 'sed e'), context);
  }
  return undefined;
};

const MAKE_OPTIONS = {
  short: 'CfIjloWE',
  long: ['directory=', 'file=', 'makefile=', 'include-dir=', 'eval=', 'assume-new=', 'old-file='],
  permute: true,
};

/** Evaluates the recipes of a makefile that the command itself creates: `make -f -`, `make --eval`. */
export const handleMake: CommandHandler = (call, context) => {
  const { options } = parseProgramOptions(call.argv.slice(1), MAKE_OPTIONS);
  const file = optionValue(options, ['f', 'file', 'makefile']);
  const evaluated = optionValue(options, ['E', 'eval']);
  const texts = [
    ...(file === undefined ? readDefaultMakefiles(call) : readKnownFile(file, call)),
    ...(evaluated ? [evaluated] : []),
  ];
  for (const text of texts)
    for (const recipe of findRecipes(toLiteral(text) ?? ''))
      runInSubshell([toField(recipe)], enterFrame(call.frame, 'make'), context);
  return undefined;
};

function readDefaultMakefiles({ frame }: EvaluatedCall): readonly Field[] {
  const written = ['GNUmakefile', 'makefile', 'Makefile'].flatMap((name) =>
    readStoredText(toField(name), frame.state),
  );
  return written.filter((text) => text !== UNKNOWN_FIELD);
}

/**
 * Returns the lines that begin with a tab and the text after the semicolon of a rule; `$(NAME)` is a make
 * variable.
 */
function findRecipes(text: string): readonly string[] {
  return text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .flatMap((line) => {
      if (line.startsWith('\t')) return [line];
      const [, recipe] = /^[^#=\s][^#=]*:[^=;]*;(.*)$/.exec(line) ?? [];
      return recipe === undefined ? [] : [recipe];
    })
    .map((recipe) =>
      recipe
        .replace(/^[\s@+-]+/, '')
        .replace(/\$\((\w+)\)/g, '${$1}')
        .replaceAll('$$', '$'),
    );
}
