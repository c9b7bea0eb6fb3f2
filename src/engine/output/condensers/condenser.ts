/** Lines that may be left out, and what they are. */
export interface OmitRule {
  /** In the plural, as a count names them: `passed tests`. */
  readonly what: string;
  readonly pattern: RegExp;
  /** Left out whatever words they have; others stay when they look like a failure or a warning. */
  readonly unconditional?: true;
}

/** Lines of which nobody knows what they are before the last one has come: what a test printed. */
export interface OmittableBlock {
  readonly what: string;
  readonly begins: RegExp;
  /** With this line all of them are left out, */
  readonly endsInSuccess: RegExp;
  /** and with this one they stay. */
  readonly endsInFailure: RegExp;
}

/** Lines of a list: of those that have the same key only the first ones stay. */
export interface ListGrouping {
  readonly what: string;
  /** Its first group, or all of it, is the key. */
  readonly pattern: RegExp;
  readonly keep: number;
}

/** How the output of one program is made shorter without anything missing that somebody would act on. */
export interface Condenser {
  readonly name: string;
  /** Which commands it is for: a program, or a program and the words that come first: `go test`. */
  readonly commands: readonly string[];
  /** The first that matches decides. */
  readonly rules?: readonly OmitRule[];
  /** Lines that no rule takes. */
  readonly keep?: RegExp;
  /** Names of groups; without a line below them that stays they go, too. */
  readonly headings?: RegExp;
  readonly blocks?: readonly OmittableBlock[];
  readonly groupings?: readonly ListGrouping[];
  /** Its operands are names that somebody asked for: the first lines that have one stay. */
  readonly names?: true;
  /** These names, of the command at hand. */
  readonly requestedNames?: readonly string[];
  /** Its rules say nothing but in the output of its own program: not for scripts that may run anything. */
  readonly ownOutputOnly?: true;
}

/** Of every built-in condenser: known without loading them. */
export const CONDENSER_NAMES: readonly string[] = [
  ...[
    'vitest',
    'jest',
    'mocha',
    'node test',
    'pytest',
    'unittest',
    'cargo',
    'go',
    'prove',
    'ctest',
    'dotnet',
  ],
  ...['npm', 'pnpm', 'yarn', 'pip', 'apt', 'bundler', 'maven', 'gradle', 'make', 'webpack', 'docker'],
  ...['git diff', 'git', 'listing'],
];
