import { ownProperty } from '../../../engine/text/own-property.ts';
import { parseProgramOptions } from '../unwrap/program-options.ts';
import { enterFrame, runInSubshell } from '../unwrap/unwrap-command.ts';
import {
  type CommandHandler,
  type EvaluatedCall,
  type HandlerContext,
  toCommandPart,
} from '../values/command-evaluation.ts';
import { concatFields, type Field, symbolicField, toField, toLiteral } from '../values/field.ts';

/** How an interpreter takes a program as an argument. */
interface LanguageSpec {
  /** Options whose value is a program. */
  readonly code: readonly string[];
  /** Other short options that take a value. */
  readonly short?: string;
  /** Whether the first operand is a program, as with `awk`. */
  readonly operand?: true;
  /** Required first operand: `deno eval`. */
  readonly verb?: string;
}

const PYTHON: LanguageSpec = { code: ['c'], short: 'mWXQ' };
const NODE: LanguageSpec = { code: ['e', 'p', 'pe', 'eval', 'print'], short: 'rC' };
const AWK: LanguageSpec = { code: ['e'], short: 'Fvf', operand: true };

const LANGUAGE_SPECS: Readonly<Record<string, LanguageSpec>> = {
  python: PYTHON,
  python2: PYTHON,
  python3: PYTHON,
  pypy: PYTHON,
  pypy3: PYTHON,
  perl: { code: ['e', 'E'], short: 'IMm' },
  ruby: { code: ['e'], short: 'IrCE' },
  node: NODE,
  nodejs: NODE,
  tsx: NODE,
  bun: { code: ['e', 'p', 'eval', 'print'] },
  deno: { code: [], operand: true, verb: 'eval' },
  php: { code: ['r'], short: 'dfcS' },
  lua: { code: ['e'], short: 'l' },
  tclsh: { code: [] },
  Rscript: { code: ['e'] },
  osascript: { code: ['e'], short: 'l' },
  awk: AWK,
  gawk: AWK,
  mawk: { ...AWK, code: [], short: 'FvfW' },
  nawk: { ...AWK, code: [] },
};

/** Names of the interpreters whose inline programs are checked. */
export const LANGUAGE_NAMES: readonly string[] = [...Object.keys(LANGUAGE_SPECS)];

/** Returns the specification of an interpreter; `python3.12` is treated as `python3`. */
function findLanguage(name: string): LanguageSpec | undefined {
  return ownProperty(LANGUAGE_SPECS, name) ?? (/^python[23]?\.\d+$/.test(name) ? PYTHON : undefined);
}

/** Regular expression source for a quoted string and its content. */
const STRING_LITERAL: string = String.raw`"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'`;

const COMMAND_FUNCTIONS = String.raw`\b(?:system|popen|popen2|popen3|exec|execSync|shell_exec|passthru|proc_open|getoutput|getstatusoutput|check_output|check_call|call|run|Popen|spawn|spawnSync|execFile|execFileSync|execvp|execlp|execv|execl|spawnvp|spawnlp|capture2|capture2e|capture3|create_subprocess_shell|create_subprocess_exec|os\.execute|do shell script|Command)`;
const CALL_WITH_TEXT = new RegExp(
  `${COMMAND_FUNCTIONS}\\s*\\(?\\s*(?:[rbuf]{0,2})(?:${STRING_LITERAL})`,
  'g',
);
const CALL_WITH_LIST = new RegExp(
  `${COMMAND_FUNCTIONS}\\s*\\(\\s*(?:(?:${STRING_LITERAL})\\s*,\\s*)?(?:\\{\\s*args\\s*:\\s*)?[[(]([^\\])]*)[\\])]`,
  'g',
);
/** `system("git", "add")`: separate words. */
const CALL_WITH_WORDS = new RegExp(
  `${COMMAND_FUNCTIONS}\\s*\\(?\\s*((?:${STRING_LITERAL})(?:\\s*,\\s*(?:${STRING_LITERAL}))+)`,
  'g',
);
const PERL_WORDS = new RegExp(`${COMMAND_FUNCTIONS}\\s*\\(?\\s*qw\\s*[({[/|]([^)}\\]/|]*)`, 'g');
const QUOTED = /(?:\bqx|%x)\s*([{([|/!])([^\n]*?)[})\]|/!]|`([^`\n]*)`/g;
/** awk: `print x | "command"`, `"command" | getline`. */
const PIPED = new RegExp(
  `(?:(?:${STRING_LITERAL})\\s*\\|&?\\s*getline)|(?:\\|&?\\s*(?:${STRING_LITERAL}))`,
  'g',
);
/** awk: `print "text" | "sh"`. */
const PRINTED = new RegExp(
  `print\\s*\\(?\\s*(?:${STRING_LITERAL})\\s*\\)?\\s*\\|&?\\s*(?:"(?:ba)?sh"|'(?:ba)?sh')`,
  'g',
);
const TCL = /(?:^|[;\n{[])\s*exec\s+([^;\n\]}]+)/g;

/** Returns the string literals that a program passes to a shell. */
function findShellTexts(code: string, language: string): readonly string[] {
  const texts = matchStrings(code, CALL_WITH_TEXT);
  if (/^(?:perl|ruby|php|bun|deno|node|tsx)$/.test(language))
    texts.push(...[...code.matchAll(QUOTED)].map((match) => match[2] ?? match[3] ?? ''));
  if (language.endsWith('awk')) texts.push(...matchStrings(code, PIPED), ...matchStrings(code, PRINTED));
  if (language === 'tclsh') texts.push(...[...code.matchAll(TCL)].map((match) => match[1] ?? ''));
  if (language === 'perl') texts.push(...[...code.matchAll(PERL_WORDS)].map((match) => match[1] ?? ''));
  return texts.map(unescapeQuotes);
}

/** Returns the commands that a program runs with separate words. */
function findWordLists(code: string): readonly (readonly string[])[] {
  const lists = [...code.matchAll(CALL_WITH_LIST)].map((match) => [
    ...(match[1] === undefined && match[2] === undefined ? [] : [match[1] ?? match[2] ?? '']),
    ...matchStrings(match[3] ?? '', new RegExp(STRING_LITERAL, 'g')),
  ]);
  const words = [...code.matchAll(CALL_WITH_WORDS)].map((match) =>
    matchStrings(match[1] ?? '', new RegExp(STRING_LITERAL, 'g')),
  );
  return [...lists, ...words].map((list) => list.map(unescapeQuotes));
}

function matchStrings(code: string, pattern: RegExp): string[] {
  return [...code.matchAll(pattern)].map(
    (match) => match.slice(1).find((group) => group !== undefined) ?? '',
  );
}

function unescapeQuotes(text: string): string {
  return text.replace(/\\(["'\\])/g, '$1');
}

/** Functions that delete a directory recursively. */
const TREE_DELETING_CALLS =
  /(?:\.rm|\b(?:shutil\.rmtree|rmtree|remove_tree|rm_rf|rm_r|remove_dir|remove_entry_secure|rmSync|rmdirSync|removeSync|emptyDirSync|rimraf(?:\.sync|Sync)?|Deno\.removeSync|Deno\.remove|unlink_recursive))\s*[( ]\s*([^;\n]*)/g;

const HOME_EXPRESSION =
  /^(?:(?:pathlib\.)?Path\.home\(\)|os\.path\.expanduser\(\s*(?:["']~["'])\s*\)|os\.environ(?:\[["']HOME["']\]|\.get\(\s*["']HOME["']\s*\))|os\.getenv\(\s*["']HOME["']\s*\)|(?:require\(\s*["'](?:node:)?os["']\s*\)|os)\.homedir\(\)|homedir\(\)|process\.env\.HOME|Deno\.env\.get\(\s*["']HOME["']\s*\)|Dir\.home|ENV\[["']HOME["']\]|\$ENV\{["']?HOME["']?\}|getenv\(\s*["']HOME["']\s*\))/;

const CWD_EXPRESSION =
  /^(?:os\.getcwd\(\)|process\.cwd\(\)|Deno\.cwd\(\)|Dir\.pwd|getcwd\(\)|(?:pathlib\.)?Path\.cwd\(\))/;

const PATH_CONSTRUCTOR =
  /^(?:(?:pathlib\.)?Path|str|os\.path\.(?:expanduser|abspath|realpath|join)|path\.(?:resolve|join))\(\s*/;

/**
 * Returns the directories that a program deletes recursively. Node functions do so only with the `recursive`
 * option.
 */
function findDeletedTrees(code: string): readonly Field[] {
  return [...code.matchAll(TREE_DELETING_CALLS)].flatMap(([whole, rest = '']) => {
    const isNode = /^(?:rmSync|rmdirSync|\.rm|Deno\.remove)/.test(whole);
    if (isNode && !/recursive/.test(rest)) return [];
    const path = toDeletedPath(rest.trim());
    return path === null ? [] : [path];
  });
}

function toDeletedPath(text: string): Field | null {
  if (HOME_EXPRESSION.test(text))
    return concatFields(symbolicField('home'), toJoinedPath(text.replace(HOME_EXPRESSION, '')));
  if (CWD_EXPRESSION.test(text))
    return concatFields(symbolicField('start'), toJoinedPath(text.replace(CWD_EXPRESSION, '')));
  const wrapped = PATH_CONSTRUCTOR.exec(text);
  if (wrapped !== null) return toDeletedPath(text.slice(wrapped[0].length));
  const match = new RegExp(`^\\[?(?:[rbuf]{0,2})(?:${STRING_LITERAL})\\s*([^\\s])?`).exec(text);
  if (match === null || /[+%.]/.test(match[3] ?? '')) return null;
  const path = unescapeQuotes(match[1] ?? match[2] ?? '');
  // A leading tilde counts as home even where the language does not expand it: no directory has that name.
  if (path === '~' || path.startsWith('~/'))
    return concatFields(symbolicField('home'), toField(path.slice(1)));
  return toField(path);
}

/** Returns the path joined to a known directory: ` / "x"`, `, "x")`, ` + "/x"`. */
function toJoinedPath(rest: string): Field {
  const match = new RegExp(`^\\s*[/+,]\\s*(?:${STRING_LITERAL})`).exec(rest);
  if (match === null)
    return /^\s*[/+,]\s*\w/.test(rest) ? [toField('/'), [{ kind: 'unknown' } as const]].flat() : [];
  const path = unescapeQuotes(match[1] ?? match[2] ?? '');
  return toField(path.startsWith('/') ? path : `/${path}`);
}

/**
 * Finds the commands and recursive deletions in programs of other languages by pattern, without parsing them.
 */
export const handleInlineProgram: CommandHandler = (call, context) => {
  const name = toLiteral(call.argv[0])?.replace(/.*\//, '') ?? '';
  const language = findLanguage(name);
  if (language === undefined) return undefined;
  for (const text of findInlinePrograms(call, language)) inspectProgram(text, { call, name }, context);
  return undefined;
};

function findInlinePrograms({ argv, frame }: EvaluatedCall, language: LanguageSpec): readonly Field[] {
  const { options, operands: all } = parseProgramOptions(argv.slice(1), {
    short: (language.short ?? '') + language.code.filter((option) => option.length === 1).join(''),
    long: language.code.filter((option) => option.length > 1).map((option) => `${option}=`),
  });
  if (language.verb !== undefined && toLiteral(all[0]) !== language.verb) return [];
  const operands = language.verb === undefined ? all : all.slice(1);
  const given = options.flatMap(({ name, value }) => (language.code.includes(name) && value ? [value] : []));
  const texts = [...given, ...(language.operand && given.length === 0 ? operands.slice(0, 1) : [])];
  const reads = texts.length === 0 && (operands.length === 0 || toLiteral(operands[0]) === '-');
  return reads ? (frame.stdin ?? []) : texts;
}

interface ProgramInput {
  readonly call: EvaluatedCall;
  readonly name: string;
}

function inspectProgram(text: Field, { call, name }: ProgramInput, context: HandlerContext): void {
  const code = text.map((atom) => (atom.kind === 'text' ? atom.text : ' ')).join('');
  const frame = enterFrame(call.frame, `${name} program`);
  const scripts = findShellTexts(code, name);
  const lists = findWordLists(code);
  context.budget.spend(scripts.length + lists.length);
  for (const script of scripts) runInSubshell([toField(script)], frame, context);
  for (const words of lists) context.perform({ ...call, frame, argv: words.map(toField), plain: true });
  for (const tree of findDeletedTrees(code)) {
    const argv = [toField('rm'), toField('-r'), toField('--'), tree];
    context.reportPart(toCommandPart({ ...call, frame, argv }));
  }
}
