/** Lines that may be omitted. */
export interface OmitRule {
  /** A plural noun for the count: `passed tests`. */
  readonly what: string;
  readonly pattern: RegExp;
  /** Omits the lines even if they look like a failure or a warning. */
  readonly unconditional?: true;
}

/** Lines that are omitted or kept depending on the line that ends them, such as the output of one test. */
export interface OmittableBlock {
  readonly what: string;
  readonly begins: RegExp;
  /** A line that ends the block and omits it. */
  readonly endsInSuccess: RegExp;
  /** A line that ends the block and keeps it. */
  readonly endsInFailure: RegExp;
}

/** Lines of a list: of consecutive lines with the same key only the first ones stay. */
export interface ListGrouping {
  readonly what: string;
  /** The key is the first capture group, or empty. */
  readonly pattern: RegExp;
  readonly keep: number;
}

/** How the output of one program is shortened without losing lines that matter. */
export interface Condenser {
  readonly name: string;
  /** The commands it applies to: a program, or a program with its first words: `go test`. */
  readonly commands: readonly string[];
  /** The first matching rule decides. */
  readonly rules?: readonly OmitRule[];
  /** Lines that no rule omits. */
  readonly keep?: RegExp;
  /** Headings of groups. A heading is omitted if all lines below it are. */
  readonly headings?: RegExp;
  readonly blocks?: readonly OmittableBlock[];
  readonly groupings?: readonly ListGrouping[];
  /** The operands are package names: the first lines that contain one stay. */
  readonly hasPackageOperands?: true;
  /** The package names of the current command. */
  readonly requestedNames?: readonly string[];
  /** The rules fit only the output of this program, so it is not used for scripts. */
  readonly ownOutputOnly?: true;
}

/** Names of the built-in condensers, readable without loading their patterns. */
export const CONDENSER_NAMES: readonly string[] = commaList(`
  vitest, jest, mocha, node test, pytest, unittest, cargo, go, prove, ctest, dotnet,
  npm, pnpm, yarn, pip, apt, bundler, maven, gradle, make, webpack, docker, git diff, git, listing
`);

/** Splits a text at commas, for tables of names that would take a line each as an array. */
export function commaList(text: string): string[] {
  return text.split(',').map((name) => name.trim());
}
