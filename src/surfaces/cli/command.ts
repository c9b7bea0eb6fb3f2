import { didYouMean } from '../config/did-you-mean.ts';
import { type Flag, type Flags, type FlagValues, toFlagName, usageError } from './flags.ts';

export interface ParsedArgs<F extends Flags> {
  readonly flags: FlagValues<F>;
  readonly words: readonly string[];
  /** Whether the words came after `--`, so that none of them can be an option. */
  readonly fenced: boolean;
}

/** `anywhere`: options and words may be mixed. `first`: from the first word on nothing is an option. */
export type OptionPosition = 'anywhere' | 'first';

/** Sorts arguments into options and words. What is not an option of the table is an error that says so. */
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

/** A lone `-` is a word, as everywhere. */
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
  const found = Object.entries(flags).find(([name]) => toFlagName(name) === option);
  if (found !== undefined) return found;
  throw usageError(`There is no option ${option}.${didYouMean(option, Object.keys(flags).map(toFlagName))}`);
}

/** What a command does with its arguments. Resolves with the exit status. */
type CommandAction<F extends Flags> = (
  parsed: ParsedArgs<F>,
  commands: readonly CliCommandEntry[],
) => Promise<number>;

/** A command before it is loaded: its name, what it does, and where it is. */
export interface CliCommandEntry {
  readonly name: string;
  /** Shown in the help of the program; a test holds it to the command's own. */
  readonly summary: string;
  load(): Promise<{ readonly command: CliCommand }>;
}

/** A command of the command line: the one table that parses, helps and completes. */
export interface CliCommand<F extends Flags = Flags> {
  /** Without `nacre`: `run [options] [--] <command>`. */
  readonly usage: string;
  /** One sentence, imperative, without a full stop. */
  readonly summary: string;
  readonly flags: F;
  /** Words it takes first, such as `list` and `kill`. */
  readonly verbs?: Readonly<Record<string, string>>;
  readonly notes?: readonly string[];
  readonly examples: readonly string[];
  /** Sorts the arguments itself; without it options may be anywhere. */
  readonly parse?: (args: readonly string[]) => ParsedArgs<F>;
  readonly act: CommandAction<F>;
}

/** Keeps the types of the flags, and forgets them for the table of commands. */
export function defineCommand<F extends Flags>(command: CliCommand<F>): CliCommand {
  return command as unknown as CliCommand;
}
