import { setVariable } from '../state/assign-value.ts';
import type { Call, Frame, Handler, Machine, Printed } from '../state/machine.ts';
import { WRITTEN } from '../state/machine.ts';
import type { Field } from '../words/atom.ts';
import { literalOf, toField } from '../words/atom.ts';
import { concat } from '../words/join.ts';
import type { Option, OptionSpec } from './options.ts';
import { parseOptions } from './options.ts';
import { runShellInput } from './shell.ts';
import type { Wrapper } from './wrappers.ts';

/** Performs what a wrapper wraps. */
export function unwrap(name: string, wrapper: Wrapper): Handler {
  return (call, machine) => {
    const { options, operands } = parseOptions(call.argv.slice(1), specOf(wrapper));
    const outer = inside(call.frame, name);
    const frame = wrapper.assigns ? { ...outer, state: outer.state.fork() } : outer;
    const printed = performWrapped({ wrapper, options, operands, call: { ...call, frame } }, machine);
    if (frame !== outer) frame.state.end();
    return printed;
  };
}

function specOf({ short, long = [] }: Wrapper): OptionSpec {
  return { short: short ?? '', long: long.map((name) => `${name}=`) };
}

interface Unwrapping {
  readonly wrapper: Wrapper;
  readonly options: readonly Option[];
  readonly operands: readonly Field[];
  readonly call: Call;
}

function performWrapped(unwrapping: Unwrapping, machine: Machine): Printed {
  const { wrapper, options, call } = unwrapping;
  if (options.some(({ name }) => wrapper.looksUp?.includes(name))) return undefined;
  const { frame } = call;
  const all = [...options];
  const operands = afterVerb(unwrapping, all);
  for (const option of all) runOption(option, { ...unwrapping, operands: operands ?? [] }, machine);
  const split = all.some(({ name }) => wrapper.splits?.includes(name));
  if (operands === null || split) return undefined;
  if (wrapper.each) for (const text of operands) runApart([text], frame, machine);
  return wrapper.each ? undefined : performOperands({ ...unwrapping, operands }, machine);
}

/** Some options hold a script, or the start of the command. */
function runOption({ name, value }: Option, { wrapper, operands, call }: Unwrapping, machine: Machine): void {
  if (value === undefined) return;
  if (wrapper.scripts?.includes(name)) runApart([value], call.frame, machine);
  if (wrapper.splits?.includes(name)) runApart([joinWords([value, ...operands])], call.frame, machine);
}

/** `poetry run x`: the verb comes first, then options again. */
function afterVerb({ wrapper, operands }: Unwrapping, options: Option[]): readonly Field[] | null {
  if (wrapper.verbs === undefined) return operands;
  const [verb, ...rest] = operands;
  if (!wrapper.verbs.includes(literalOf(verb) ?? '')) return null;
  const parsed = parseOptions(rest, specOf(wrapper));
  options.push(...parsed.options);
  return parsed.operands;
}

function performOperands({ wrapper, options, operands, call }: Unwrapping, machine: Machine): Printed {
  const { frame } = call;
  const argv = operands.slice(wrapper.operands ?? 0);
  const [first, second] = argv;
  // `flock file -c 'script'`: the option comes after the operand.
  if (second !== undefined && wrapper.scripts?.some((name) => isOption(first, name))) {
    runApart([second], frame, machine);
    return WRITTEN;
  }
  const rest = wrapper.assigns ? takeAssignments(argv, frame) : argv;
  const command = literalOf(rest[0]) === '--' ? rest.slice(1) : rest;
  if (command.length === 0) {
    const reads = wrapper.shell?.some(
      (name) => name === '*' || options.some((option) => option.name === name),
    );
    return reads ? runShellInput(call, machine) : undefined;
  }
  if (wrapper.joins) {
    runApart([joinWords(command)], frame, machine);
    return undefined;
  }
  machine.perform({ ...call, argv: command, plain: true });
  return WRITTEN;
}

function isOption(field: Field | undefined, name: string): boolean {
  return literalOf(field) === (name.length === 1 ? `-${name}` : `--${name}`);
}

/** `env X=1 command`: the command sees the variable. */
export function takeAssignments(argv: readonly Field[], frame: Frame): readonly Field[] {
  let at = 0;
  for (; at < argv.length; at += 1) {
    const word = argv[at] ?? [];
    const [first] = word;
    const match = first?.kind === 'text' ? /^([A-Za-z_]\w*)=/.exec(first.text) : null;
    if (match?.[1] === undefined || first?.kind !== 'text') break;
    const value = concat(toField(first.text.slice(match[0].length)), word.slice(1));
    setVariable(frame.state, match[1], { values: [value], append: false });
  }
  return argv.slice(at);
}

/** Runs texts in a shell of their own. */
export function runApart(texts: readonly Field[], frame: Frame, machine: Machine): void {
  const child = { ...frame, state: frame.state.fork() };
  machine.runTexts(texts, child);
  machine.finish(child);
}

export function joinWords(words: readonly Field[]): Field {
  return concat(...words.flatMap((word, index) => (index === 0 ? [word] : [toField(' '), word])));
}

export function inside(frame: Frame, name: string): Frame {
  return { ...frame, depth: frame.depth + 1, via: [...frame.via, name] };
}
