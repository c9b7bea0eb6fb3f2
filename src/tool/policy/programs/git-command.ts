import { ownProperty } from '../../../engine/text/own-property.ts';
import { wordList } from '../../../engine/text/word-list.ts';
import { parseProgramOptions } from '../unwrap/program-options.ts';
import { enterFrame, runInSubshell } from '../unwrap/unwrap-command.ts';
import {
  ALREADY_PRINTED,
  type CommandHandler,
  type EvaluatedCall,
  type HandlerContext,
  type PrintedTexts,
} from '../values/command-evaluation.ts';
import {
  concatFields,
  type Field,
  joinFields,
  splitFields,
  symbolicField,
  toField,
  toLiteral,
} from '../values/field.ts';
import { isArrayValue, type ScriptState } from '../values/script-state.ts';

/** A git command with its global options parsed. */
export interface GitInvocation {
  /** `null` when it is unknown. */
  readonly verb: string | null;
  readonly words: readonly Field[];
  /** Settings from `-c`, with keys in lower case. */
  readonly config: readonly { readonly key: string; readonly value: Field }[];
}

const GIT_GLOBAL_OPTIONS = {
  short: 'Cc',
  long: wordList(`
    git-dir= work-tree= namespace= super-prefix= config-env= attr-source= exec-path=? list-cmds=?
  `),
};

/** Parses the words of a git command; `null` when it only prints its help or version. */
export function parseGit(argv: readonly Field[]): GitInvocation | null {
  const { options, operands } = parseProgramOptions(argv.slice(1), GIT_GLOBAL_OPTIONS);
  if (options.some(({ name }) => /^(?:h|help|v|version|html-path|man-path|info-path)$/.test(name)))
    return null;
  const config = options.flatMap(({ name, value }) =>
    name === 'c' && value !== undefined ? [parseConfigSetting(value)] : [],
  );
  const [verb, ...words] = operands;
  return { verb: toLiteral(verb), words, config };
}

function parseConfigSetting(value: Field): { key: string; value: Field } {
  const [first] = value;
  if (first?.kind !== 'text') return { key: '', value };
  const equals = first.text.indexOf('=');
  if (equals < 0) return { key: first.text.toLowerCase(), value: toField('true') };
  return {
    key: first.text.slice(0, equals).toLowerCase(),
    value: concatFields(toField(first.text.slice(equals + 1)), value.slice(1)),
  };
}

/** Settings whose value git runs as a command. */
const COMMAND_CONFIG_KEYS =
  /^(?:core\.(?:sshcommand|editor|pager|askpass|fsmonitor|gitproxy)|sequence\.editor|pager\..*|diff\.external|diff\..*\.(?:command|textconv)|merge\..*\.driver|filter\..*\.(?:clean|smudge|process)|credential\.helper|gpg\.program|(?:diff|merge)tool\..*\.cmd|uploadpack\..*|remote\..*\.(?:receivepack|uploadpack))$/;

/** Evaluates the commands that git runs: aliases, configured programs, and subcommands that take commands. */
export const handleGit: CommandHandler = (call, context) => {
  const given = parseGit(call.argv);
  if (given === null) return undefined;
  const read = { ...given, config: [...given.config, ...environmentConfig(call)] };
  for (const { key, value } of read.config)
    if (COMMAND_CONFIG_KEYS.test(key)) runSetting(value, { call, key }, context);
  const alias = findGitAlias(read, call);
  if (alias !== undefined) {
    for (const text of alias) runGitAlias(text, { call, read }, context);
    return ALREADY_PRINTED;
  }
  return (ownProperty(GIT_VERB_HANDLERS, read.verb ?? '') ?? printGitOutput)(read.words, call, context);
};

/** Returns settings from `GIT_CONFIG_KEY_0`, `GIT_CONFIG_VALUE_0` and so on. */
function environmentConfig({ frame: { state } }: EvaluatedCall): GitInvocation['config'] {
  const count = Math.min(16, Number(readVariableFields(state, 'GIT_CONFIG_COUNT').map(toLiteral)[0] ?? 0));
  return Array.from({ length: Number.isNaN(count) ? 0 : count }).flatMap((_, index) => {
    const [key] = readVariableFields(state, `GIT_CONFIG_KEY_${index}`).map(toLiteral);
    const [value] = readVariableFields(state, `GIT_CONFIG_VALUE_${index}`);
    return key == null || value === undefined ? [] : [{ key: key.toLowerCase(), value }];
  });
}

function readVariableFields(state: ScriptState, name: string): readonly Field[] {
  return state.get('variable', name)?.options.flatMap((value) => (isArrayValue(value) ? [] : [value])) ?? [];
}

/** Converts the dashed form: `git-push` to `git push`. */
export function toGitCommand(argv: readonly Field[], name: string): readonly Field[] {
  return [toField('git'), toField(name.slice('git-'.length)), ...argv.slice(1)];
}

function runSetting(
  value: Field,
  { call, key }: { readonly call: EvaluatedCall; readonly key: string },
  context: HandlerContext,
): void {
  runInSubshell([withoutExclamation(value)], enterFrame(call.frame, `git ${key}`), context);
}

function withoutExclamation(value: Field): Field {
  const [first, ...rest] = value;
  return first?.kind === 'text' && first.text.startsWith('!')
    ? concatFields(toField(first.text.slice(1)), rest)
    : value;
}

/** Returns the definition of an alias. Built-in commands cannot be aliased. */
function findGitAlias(
  { verb, config }: GitInvocation,
  { frame }: EvaluatedCall,
): readonly Field[] | undefined {
  if (verb === null || /^(?:add|stage|push|commit|config|send-pack)$/.test(verb)) return undefined;
  const inline = config.filter(({ key }) => key === `alias.${verb.toLowerCase()}`).map(({ value }) => value);
  return inline.length > 0 ? inline : frame.state.get('gitAlias', verb.toLowerCase());
}

function runGitAlias(
  text: Field,
  { call, read }: { readonly call: EvaluatedCall; readonly read: GitInvocation },
  context: HandlerContext,
): void {
  const frame = enterFrame(call.frame, `git alias ${read.verb}`);
  const [first] = text;
  if (first?.kind === 'text' && first.text.startsWith('!')) {
    runInSubshell([joinFields([withoutExclamation(text), ...read.words])], frame, context);
    return;
  }
  const words = splitFields(text, ' \t\n').map(
    (word): Field =>
      word.map((atom) => (atom.kind === 'text' ? { ...atom, text: atom.text.replace(/['"]/g, '') } : atom)),
  );
  context.perform({ ...call, frame, argv: [toField('git'), ...words, ...read.words], plain: true });
}

type GitVerbHandler = (words: readonly Field[], call: EvaluatedCall, context: HandlerContext) => PrintedTexts;

const GIT_VERB_HANDLERS: Readonly<Record<string, GitVerbHandler>> = {
  config: (words, call, context) => {
    const { operands } = parseProgramOptions(words, { short: 'ft', long: ['file=', 'blob=', 'type='] });
    const [key, value] = toLiteral(operands[0]) === 'set' ? operands.slice(1) : operands;
    const name = toLiteral(key)?.toLowerCase();
    if (name === undefined || value === undefined) return undefined;
    if (name.startsWith('alias.')) call.frame.state.set('gitAlias', name.slice('alias.'.length), [value]);
    else if (COMMAND_CONFIG_KEYS.test(name)) runSetting(value, { call, key: name }, context);
    return undefined;
  },
  submodule: (words, call, context) => {
    const { operands } = parseProgramOptions(words, {});
    if (toLiteral(operands[0]) !== 'foreach') return undefined;
    const { operands: command } = parseProgramOptions(operands.slice(1), {});
    runInSubshell([joinFields(command)], enterFrame(call.frame, 'git submodule foreach'), context);
    return undefined;
  },
  bisect: (words, call, context) => {
    if (toLiteral(words[0]) !== 'run') return undefined;
    const frame = enterFrame(call.frame, 'git bisect run');
    context.perform({ ...call, argv: words.slice(1), frame, plain: true });
    return undefined;
  },
  rebase: (words, call, context) => runOptionScripts(words, { call, names: ['x', 'exec'] }, context),
  difftool: (words, call, context) => runOptionScripts(words, { call, names: ['x', 'extcmd'] }, context),
  'filter-branch': (words, call, context) =>
    runOptionScripts(words, { call, names: FILTER_BRANCH_FILTERS.map((name) => `${name}-filter`) }, context),
  'for-each-repo': (words, call, context) => {
    const { operands } = parseProgramOptions(words, { long: ['config='] });
    const frame = enterFrame(call.frame, 'git for-each-repo');
    context.perform({ ...call, argv: [toField('git'), ...operands], frame, plain: true });
    return undefined;
  },
};

const FILTER_BRANCH_FILTERS = ['tree', 'index', 'msg', 'commit', 'env', 'parent', 'tag-name'];

interface OptionScripts {
  readonly call: EvaluatedCall;
  readonly names: readonly string[];
}

/** Evaluates the options whose values are scripts. */
function runOptionScripts(
  words: readonly Field[],
  { call, names }: OptionScripts,
  context: HandlerContext,
): PrintedTexts {
  const { options } = parseProgramOptions(words, {
    short: 'xsXSC',
    long: names.map((name) => `${name}=`),
    permute: true,
  });
  for (const { name, value } of options)
    if (names.includes(name) && value !== undefined)
      runInSubshell([value], enterFrame(call.frame, `git --${name}`), context);
  return undefined;
}

function printGitOutput(words: readonly Field[], { argv }: EvaluatedCall): PrintedTexts {
  if (parseGit(argv)?.verb !== 'rev-parse') return undefined;
  const asked = words.map(toLiteral).find((word) => word?.startsWith('--'));
  if (asked === '--show-toplevel') return [concatFields(symbolicField('repository'), toField('\n'))];
  const isDirectory = asked === '--git-dir' || asked === '--absolute-git-dir' || asked === '--git-common-dir';
  return isDirectory ? [concatFields(symbolicField('repository'), toField('/.git\n'))] : undefined;
}
