import type { Flags } from './flag.ts';
import type { ParsedArgs } from './parse-args.ts';

/** What a command does with its arguments. Resolves with the exit status. */
type Action<F extends Flags> = (parsed: ParsedArgs<F>, commands: readonly CommandEntry[]) => Promise<number>;

/** A command before it is loaded: its name, what it does, and where it is. */
export interface CommandEntry {
  readonly name: string;
  /** Shown in the help of the program; a test holds it to the command's own. */
  readonly summary: string;
  load(): Promise<{ readonly command: Command }>;
}

/** A command of the command line: the one table that parses, helps and completes. */
export interface Command<F extends Flags = Flags> {
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
  readonly act: Action<F>;
}

/** Keeps the types of the flags, and forgets them for the table of commands. */
export function defineCommand<F extends Flags>(command: Command<F>): Command {
  return command as unknown as Command;
}
