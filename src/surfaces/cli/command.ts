import { didYouMean } from '../../validator.ts';
import { type Flag, type Flags, type FlagValues, toFlagName, usageError } from './flags.ts';

export interface ParsedArgs<F extends Flags> {
  readonly flags: FlagValues<F>;
  readonly words: readonly string[];
  /** Whether the positional arguments came after `--`. */
  readonly fenced: boolean;
}

/** `anywhere`: options and arguments may be mixed. `first`: options end at the first argument. */
export type OptionPosition = 'anywhere' | 'first';

/** Parses arguments into options and positional arguments; throws a usage error for an unknown option. */
export function parseArgs<F extends Flags>(
  args: readonly string[],
  flags: F,
  place: OptionPosition = 'anywhere',
): ParsedArgs<F> {
  const values: Record<string, unknown> = {};
  const words: string[] = [];
  const left = [...args];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (word === '--') return { flags: values as FlagValues<F>, words: [...words, ...left], fenced: true };
    if (isOption(word)) {
      takeOption(word, { left, flags, values });
    } else {
      words.push(word);
      if (place === 'first') words.push(...left.splice(0));
    }
  }
  return { flags: values as FlagValues<F>, words, fenced: false };
}

/**
 * Parses options and a command to run or explain. Options come before the command, or after a command that is one
 * argument: `run 'npm test' --json`. In `run ls -la` everything from `ls` on is the command, since `-la` is not
 * an option of nacre.
 */
export function parseWithCommand<F extends Flags>(args: readonly string[], flags: F): ParsedArgs<F> {
  const before = parseArgs(args, flags, 'first');
  const [command = '', ...rest] = before.words;
  if (before.fenced || rest.length === 0 || !rest[0]?.startsWith('-')) return before;
  // An argument with a space is a whole command, so what follows are options.
  if (!/\s/.test(command) && !areFlags(rest, flags)) return before;
  const after = parseArgs(rest, flags);
  return { ...before, flags: { ...before.flags, ...after.flags }, words: [command, ...after.words] };
}

/** Short options after a word belong to the command: `run make -C src`. */
function areFlags(words: readonly string[], flags: Flags): boolean {
  if (words.some((word) => /^-[^-]/.test(word))) return false;
  try {
    return parseArgs(words, flags).words.length === 0;
  } catch {
    return false;
  }
}

/** A single `-` is an argument, as in other programs. */
function isOption(word: string): boolean {
  return word.length > 1 && word.startsWith('-');
}

interface ParseState {
  readonly left: string[];
  readonly flags: Flags;
  readonly values: Record<string, unknown>;
}

function takeOption(word: string, { left, flags, values }: ParseState): void {
  const [, option = word, inline] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
  const [name, flag] = findFlag(option, flags);
  const value = flag.value === undefined ? takeSwitch(option, inline) : (inline ?? left.shift());
  if (value === undefined) throw usageError(`${option} needs ${flag.value}.`);
  const parsed = flag.parse(value);
  if (parsed === undefined)
    throw usageError(`${option} takes ${flag.expected}, got ${JSON.stringify(value)}.`);
  const before = values[name];
  values[name] = before !== undefined && flag.join ? flag.join(before, parsed) : parsed;
}

function takeSwitch(option: string, inline: string | undefined): string {
  if (inline !== undefined) throw usageError(`${option} takes no value, got ${JSON.stringify(inline)}.`);
  return '';
}

function findFlag(option: string, flags: Flags): readonly [string, Flag] {
  const found = Object.entries(flags).find(
    ([name, { short }]) => toFlagName(name) === option || (short !== undefined && option === `-${short}`),
  );
  if (found !== undefined) return found;
  throw usageError(`Unknown option '${option}'.${didYouMean(option, Object.keys(flags).map(toFlagName))}`);
}

/** Runs a command and resolves with the exit status. */
type CommandAction<F extends Flags> = (
  parsed: ParsedArgs<F>,
  commands: readonly CliCommandEntry[],
) => Promise<number>;

/** A command in the main table, loaded on demand. */
export interface CliCommandEntry {
  readonly name: string;
  /** Shown in the main help; a test compares it with the command's own summary. */
  readonly summary: string;
  load(): Promise<{ readonly command: CliCommand }>;
}

/** A CLI command: the table for parsing, help and completion. */
export interface CliCommand<F extends Flags = Flags> {
  /** Without `nacre`: `run [options] [--] <command>`. */
  readonly usage: string;
  /** One imperative phrase without a full stop. */
  readonly summary: string;
  readonly flags: F;
  /** Subcommands such as `list` and `kill`, with their help. */
  readonly verbs?: Readonly<Record<string, string>>;
  readonly notes?: readonly string[];
  readonly examples: readonly string[];
  /** A custom argument parser; the default accepts options anywhere. */
  readonly parse?: (args: readonly string[]) => ParsedArgs<F>;
  readonly act: CommandAction<F>;
}

/** Checks the flag types of a command and erases them for the command table. */
export function defineCommand<F extends Flags>(command: CliCommand<F>): CliCommand {
  return command as unknown as CliCommand;
}
