import { NacreError } from '../../errors.ts';

/** One command line option: its syntax, help and parser. */
export interface Flag<T = unknown> {
  /** The placeholder of the value in the help; absent for a switch. */
  readonly value?: string;
  readonly help: string;
  /** The letter of the short form: `C` for `-C`. */
  readonly short?: string;
  /** The accepted words, if there are only a few. */
  readonly choices?: readonly string[];
  /** Returns `undefined` for an invalid text. */
  parse(text: string): T | undefined;
  /** The expected value, for the error: `--timeout takes <expected>`. */
  readonly expected: string;
  /** Combines repeated uses; by default the last one counts. */
  join?(before: T, next: T): T;
}

/** Options by their name in the code; `maxLines` is `--max-lines`. */
export type Flags = Readonly<Record<string, Flag>>;

export type FlagValues<F extends Flags> = {
  readonly [Name in keyof F]?: F[Name] extends Flag<infer T> ? T : never;
};

export function switchFlag(help: string): Flag<boolean> {
  return { help, expected: 'no value', parse: () => true };
}

export function textFlag(value: string, help: string): Flag<string> {
  return {
    value,
    help,
    expected: 'a non-empty text',
    parse: (word) => (word === '' ? undefined : word),
  };
}

/** An option with a fixed set of words. */
export function choiceFlag(value: string, choices: readonly string[], help: string): Flag<string> {
  const parse = (word: string): string | undefined => choices.find((known) => known === word);
  return { value, help, choices, expected: choices.join(' or '), parse };
}

/** An option in seconds, with optional decimals. */
export function secondsFlag(help: string, max: number = Number.POSITIVE_INFINITY): Flag<number> {
  const upTo = Number.isFinite(max) ? ` to ${max}` : '';
  return {
    value: '<seconds>',
    help,
    expected: `a number of seconds from 0${upTo}`,
    parse: (word) => (/^\d+(\.\d+)?$/.test(word) && Number(word) <= max ? Number(word) : undefined),
  };
}

export function countFlag(value: string, help: string): Flag<number> {
  return {
    value,
    help,
    expected: 'a whole number from 1',
    parse: (word) => (/^\d{1,15}$/.test(word) && Number(word) > 0 ? Number(word) : undefined),
  };
}

/** `10-20`, `10-` or `10`: both ends included, counted from 1. */
export interface FlagRange {
  readonly from: number;
  readonly to: number;
}

export function rangeFlag(help: string): Flag<FlagRange> {
  return { value: '<from>-<to>', help, expected: 'a range such as 10-20, 10- or 10', parse: parseRange };
}

function parseRange(word: string): FlagRange | undefined {
  const [, from = '', dash, to] = /^(\d{1,15})(-)?(\d{1,15})?$/.exec(word) ?? [];
  if (from === '' || (dash === undefined && to !== undefined)) return undefined;
  const open = dash === undefined ? Number(from) : Number.MAX_SAFE_INTEGER;
  const parsed = { from: Number(from), to: to === undefined ? open : Number(to) };
  return parsed.from >= 1 && parsed.to >= parsed.from ? parsed : undefined;
}

/** A repeatable `NAME=VALUE` option. */
export function variablesFlag(help: string): Flag<Readonly<Record<string, string>>> {
  return {
    value: '<name=value>',
    help,
    expected: 'a name, an equals sign and a value',
    parse: (word) => {
      const at = word.indexOf('=');
      return at < 1 ? undefined : Object.fromEntries([[word.slice(0, at), word.slice(at + 1)]]);
    },
    join: (before, next) => ({ ...before, ...next }),
  };
}

/** `maxLines` → `--max-lines`. */
export function toFlagName(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The error for an invalid command line. */
export function usageError(problem: string): NacreError {
  return new NacreError('usage', { problem });
}

/** Rejects positional arguments of a command that takes none. */
export function rejectArguments(command: string, [word]: readonly string[]): void {
  if (word !== undefined) throw usageError(`${command} takes no arguments, got ${JSON.stringify(word)}.`);
}

/** A condition to wait for: a matching output line or an open port. */
export type JobCondition = { readonly pattern: RegExp } | { readonly port: number };

export function jobConditionFlag(help: string): Flag<JobCondition> {
  return {
    value: '<what>',
    help,
    expected: 'a regular expression, or port: and a number from 1 to 65535',
    parse: parseJobCondition,
  };
}

function parseJobCondition(word: string): JobCondition | undefined {
  const [, port] = /^port:(.*)$/.exec(word) ?? [];
  if (port !== undefined)
    return /^\d{1,5}$/.test(port) && Number(port) > 0 && Number(port) < 65_536
      ? { port: Number(port) }
      : undefined;
  // `log:` is optional.
  const pattern = word.replace(/^log:(?=.)/s, '');
  try {
    return pattern === '' ? undefined : { pattern: new RegExp(pattern, 'u') };
  } catch {
    return undefined;
  }
}
