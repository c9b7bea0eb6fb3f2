import type { Call, Frame, Handler, Machine, Printed } from '../state/machine.ts';
import { SILENT, WRITTEN } from '../state/machine.ts';
import { readFile } from '../state/stored-file.ts';
import type { Field } from '../words/atom.ts';
import { literalOf, toField } from '../words/atom.ts';
import { optionValue, parseOptions } from './options.ts';

/** Programs that read the language we read. */
export const SHELLS: readonly string[] = [
  'bash',
  'sh',
  'zsh',
  'dash',
  'ksh',
  'mksh',
  'ash',
  'rbash',
  'fish',
  'csh',
  'tcsh',
];

const SPEC = { short: 'oO', long: ['rcfile=', 'init-file='] };

/** `bash -c script`, `bash file`, `bash < script`. */
export const shell: Handler = (call, machine) => {
  const words = call.argv.slice(1).filter((word) => !/^\+/.test(literalOf(word) ?? ''));
  const { options, operands } = parseOptions(words, SPEC);
  const has = (name: string): boolean => options.some((option) => option.name === name);
  if (has('n') || has('version') || has('help')) return SILENT;
  const rcfile = optionValue(options, ['rcfile', 'init-file']);
  if (rcfile !== undefined)
    runIn(call, { texts: readFile(rcfile, call), positional: [], label: 'bash --rcfile' }, machine);
  const name = literalOf(call.argv[0])?.replace(/.*\//, '') ?? 'sh';
  if (has('c')) {
    const [script = [], zero = toField(name), ...positional] = operands;
    return runIn(call, { texts: [script], positional, label: `${name} -c`, zero }, machine);
  }
  const [file, ...rest] = operands;
  if (has('s') || file === undefined)
    return runIn(call, { ...input(call), positional: operands, label: name }, machine);
  return runIn(call, { texts: readFile(file, call), positional: rest, label: name, zero: file }, machine);
};

/** `su -c script`, `runuser -c script`, `su < script`. */
export const su: Handler = (call, machine) => {
  const { options, operands } = parseOptions(call.argv.slice(1), {
    short: 'csgGwuT',
    long: [
      'command=',
      'session-command=',
      'shell=',
      'group=',
      'supp-group=',
      'whitelist-environment=',
      'user=',
    ],
    permute: true,
  });
  const name = literalOf(call.argv[0]) ?? 'su';
  const script = optionValue(options, ['c', 'command', 'session-command']);
  if (script !== undefined)
    return runIn(call, { texts: [script], positional: [], label: `${name} -c` }, machine);
  if (optionValue(options, ['u', 'user']) === undefined)
    return runIn(call, { ...input(call), positional: [], label: name }, machine);
  machine.perform({ ...call, argv: operands, frame: deeper(call.frame, name), plain: true });
  return WRITTEN;
};

/** Runs what stands on standard input. */
export function runShellInput(call: Call, machine: Machine): Printed {
  return runIn(call, { ...input(call), positional: [], label: 'standard input' }, machine);
}

/** `source file`, `. file`: the same shell goes on. */
export const source: Handler = (call, machine) => {
  const { operands } = parseOptions(call.argv.slice(1), {});
  const [file, ...positional] = operands;
  if (file === undefined) return SILENT;
  const { state } = call.frame;
  const before = state.positional;
  if (positional.length > 0) state.positional = positional.map((word) => [word]);
  machine.runTexts(readFile(file, call), deeper(call.frame, 'source'));
  state.positional = before;
  return WRITTEN;
};

interface Run {
  readonly texts: readonly Field[];
  readonly positional: readonly Field[];
  readonly label: string;
  readonly zero?: Field;
}

function runIn(call: Call, { texts, positional, label, zero }: Run, machine: Machine): Printed {
  const state = call.frame.state.fork();
  state.positional = positional.map((word) => [word]);
  state.errexit = false;
  if (zero !== undefined) state.set('variable', '0', { options: [zero] });
  const frame = { ...deeper(call.frame, label), state };
  machine.runTexts(texts, frame);
  machine.finish(frame);
  return WRITTEN;
}

function input({ frame }: Call): { readonly texts: readonly Field[] } {
  return { texts: frame.stdin ?? [] };
}

function deeper(frame: Frame, label: string): Frame {
  return { ...frame, depth: frame.depth + 1, via: [...frame.via, label] };
}
