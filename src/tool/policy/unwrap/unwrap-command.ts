import { wordList } from '../../../engine/text/word-list.ts';
import type { OptionSpec } from '../../contract/policy-options.ts';
import {
  ALREADY_PRINTED,
  type CommandHandler,
  type EvaluatedCall,
  type EvaluationFrame,
  type HandlerContext,
  NO_OUTPUT,
  type PrintedTexts,
  readKnownFile,
} from '../values/command-evaluation.ts';
import { concatFields, type Field, joinFields, toField, toLiteral } from '../values/field.ts';
import { setVariable } from '../values/script-state.ts';
import { optionValue, type ParsedOption, parseProgramOptions } from './program-options.ts';
import type { WrapperSpec } from './wrappers.ts';

/** Shells whose scripts are evaluated as bash. */
export const SHELL_NAMES: readonly string[] = wordList('bash sh zsh dash ksh mksh ash rbash fish csh tcsh');

const SHELL_OPTIONS = { short: 'oO', long: ['rcfile=', 'init-file='] };

/** Evaluates `bash -c script`, `bash file` and `bash < script`. */
export const handleShell: CommandHandler = (call, context) => {
  const words = call.argv.slice(1).filter((word) => !/^\+/.test(toLiteral(word) ?? ''));
  const { options, operands } = parseProgramOptions(words, SHELL_OPTIONS);
  const has = (name: string): boolean => options.some((option) => option.name === name);
  if (has('n') || has('version') || has('help')) return NO_OUTPUT;
  const rcfile = optionValue(options, ['rcfile', 'init-file']);
  if (rcfile !== undefined)
    runInNewShell(
      call,
      { texts: readKnownFile(rcfile, call), positional: [], label: 'bash --rcfile' },
      context,
    );
  const name = toLiteral(call.argv[0])?.replace(/.*\//, '') ?? 'sh';
  if (has('c')) {
    const [script = [], zero = toField(name), ...positional] = operands;
    return runInNewShell(call, { texts: [script], positional, label: `${name} -c`, zero }, context);
  }
  const [file, ...rest] = operands;
  if (has('s') || file === undefined)
    return runShellInput(call, { positional: operands, label: name }, context);
  return runInNewShell(
    call,
    { texts: readKnownFile(file, call), positional: rest, label: name, zero: file },
    context,
  );
};

/** Evaluates `su -c script`, `runuser -c script` and `su < script`. */
export const handleSu: CommandHandler = (call, context) => {
  const { options, operands } = parseProgramOptions(call.argv.slice(1), {
    short: 'csgGwuT',
    long: wordList('command= session-command= shell= group= supp-group= whitelist-environment= user='),
    permute: true,
  });
  const name = toLiteral(call.argv[0]) ?? 'su';
  const script = optionValue(options, ['c', 'command', 'session-command']);
  if (script !== undefined)
    return runInNewShell(call, { texts: [script], positional: [], label: `${name} -c` }, context);
  if (optionValue(options, ['u', 'user']) === undefined)
    return runShellInput(call, { positional: [], label: name }, context);
  context.perform({ ...call, argv: operands, frame: enterFrame(call.frame, name), plain: true });
  return ALREADY_PRINTED;
};

/** Evaluates `source file` and `. file` in the same shell. */
export const handleSource: CommandHandler = (call, context) => {
  const { operands } = parseProgramOptions(call.argv.slice(1), {});
  const [file, ...positional] = operands;
  if (file === undefined) return NO_OUTPUT;
  const { state } = call.frame;
  const before = state.positional;
  if (positional.length > 0) state.positional = positional.map((word) => [word]);
  context.runTexts(readKnownFile(file, call), enterFrame(call.frame, 'source'));
  state.positional = before;
  return ALREADY_PRINTED;
};

interface ShellRun {
  readonly texts: readonly Field[];
  readonly positional: readonly Field[];
  readonly label: string;
  readonly zero?: Field;
}

/** Evaluates standard input as a script in a new shell. */
function runShellInput(
  call: EvaluatedCall,
  run: Omit<ShellRun, 'texts'>,
  context: HandlerContext,
): PrintedTexts {
  return runInNewShell(call, { ...run, texts: call.frame.stdin ?? [] }, context);
}

function runInNewShell(
  call: EvaluatedCall,
  { texts, positional, label, zero }: ShellRun,
  context: HandlerContext,
): PrintedTexts {
  const state = call.frame.state.fork();
  state.positional = positional.map((word) => [word]);
  state.errexit = false;
  if (zero !== undefined) state.set('variable', '0', { options: [zero] });
  const frame = { ...enterFrame(call.frame, label), state };
  context.runTexts(texts, frame);
  context.finish(frame);
  return ALREADY_PRINTED;
}

/** Creates a handler that evaluates the command inside a wrapper such as `sudo`. */
export function createWrapperHandler(name: string, wrapper: WrapperSpec): CommandHandler {
  return (call, context) => {
    const { options, operands } = parseProgramOptions(call.argv.slice(1), toOptionSpec(wrapper));
    const outer = enterFrame(call.frame, name);
    const frame = wrapper.assigns ? { ...outer, state: outer.state.fork() } : outer;
    const printed = performWrapped({ wrapper, options, operands, call: { ...call, frame } }, context);
    if (frame !== outer) frame.state.end();
    return printed;
  };
}

function toOptionSpec({ short, long = [] }: WrapperSpec): OptionSpec {
  return { short: short ?? '', long: long.map((name) => `${name}=`) };
}

interface WrappedCall {
  readonly wrapper: WrapperSpec;
  readonly options: readonly ParsedOption[];
  readonly operands: readonly Field[];
  readonly call: EvaluatedCall;
}

function performWrapped(wrapped: WrappedCall, context: HandlerContext): PrintedTexts {
  const { wrapper, options, call } = wrapped;
  if (options.some(({ name }) => wrapper.inert?.includes(name))) return undefined;
  const { frame } = call;
  const all = [...options];
  const operands = afterVerb(wrapped, all);
  for (const option of all) runOption(option, { ...wrapped, operands: operands ?? [] }, context);
  const split = all.some(({ name }) => wrapper.splits?.includes(name));
  if (operands === null || split) return undefined;
  if (wrapper.each) for (const text of operands) runInSubshell([text], frame, context);
  return wrapper.each ? undefined : performOperands({ ...wrapped, operands }, context);
}

/** Evaluates options that contain a script, or the start of the command. */
function runOption(
  { name, value }: ParsedOption,
  { wrapper, operands, call }: WrappedCall,
  context: HandlerContext,
): void {
  if (value === undefined) return;
  if (wrapper.scripts?.includes(name)) runInSubshell([value], call.frame, context);
  if (wrapper.splits?.includes(name)) runInSubshell([joinFields([value, ...operands])], call.frame, context);
}

/** `poetry run x`: the verb comes first, then more options. */
function afterVerb({ wrapper, operands }: WrappedCall, options: ParsedOption[]): readonly Field[] | null {
  if (wrapper.verbs === undefined) return operands;
  const [verb, ...rest] = operands;
  if (!wrapper.verbs.includes(toLiteral(verb) ?? '')) return null;
  const parsed = parseProgramOptions(rest, toOptionSpec(wrapper));
  options.push(...parsed.options);
  return parsed.operands;
}

function performOperands(
  { wrapper, options, operands, call }: WrappedCall,
  context: HandlerContext,
): PrintedTexts {
  const { frame } = call;
  const argv = operands.slice(wrapper.operands ?? 0);
  const [first, second] = argv;
  // `flock file -c 'script'`: the option follows the operand.
  if (second !== undefined && wrapper.scripts?.some((name) => isOption(first, name))) {
    runInSubshell([second], frame, context);
    return ALREADY_PRINTED;
  }
  const rest = wrapper.assigns ? applyAssignments(argv, frame) : argv;
  const command = toLiteral(rest[0]) === '--' ? rest.slice(1) : rest;
  if (command.length === 0) {
    const reads = wrapper.shell?.some(
      (name) => name === '*' || options.some((option) => option.name === name),
    );
    return reads ? runShellInput(call, { positional: [], label: 'standard input' }, context) : undefined;
  }
  if (wrapper.joins) {
    runInSubshell([joinFields(command)], frame, context);
    return undefined;
  }
  context.perform({ ...call, argv: command, plain: true });
  return ALREADY_PRINTED;
}

function isOption(field: Field | undefined, name: string): boolean {
  return toLiteral(field) === (name.length === 1 ? `-${name}` : `--${name}`);
}

/** Applies leading `NAME=value` words and returns the words after them. */
export function applyAssignments(argv: readonly Field[], frame: EvaluationFrame): readonly Field[] {
  let at = 0;
  for (; at < argv.length; at += 1) {
    const word = argv[at] ?? [];
    const [first] = word;
    const match = first?.kind === 'text' ? /^([A-Za-z_]\w*)=/.exec(first.text) : null;
    if (match?.[1] === undefined || first?.kind !== 'text') break;
    const value = concatFields(toField(first.text.slice(match[0].length)), word.slice(1));
    setVariable(frame.state, match[1], { values: [value], append: false });
  }
  return argv.slice(at);
}

/** Evaluates texts in a subshell. */
export function runInSubshell(
  texts: readonly Field[],
  frame: EvaluationFrame,
  context: HandlerContext,
): void {
  const child = { ...frame, state: frame.state.fork() };
  context.runTexts(texts, child);
  context.finish(child);
}

/** Returns a frame one level deeper, inside the named construct. */
export function enterFrame(frame: EvaluationFrame, name: string): EvaluationFrame {
  return { ...frame, depth: frame.depth + 1, via: [...frame.via, name] };
}
