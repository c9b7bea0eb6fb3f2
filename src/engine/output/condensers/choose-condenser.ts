import { ownProperty } from '../../text/own-property.ts';
import { BUILT_IN_CONDENSERS } from './built-in-condensers.ts';
import { type Condenser, commaList } from './condenser.ts';

/** The condensers that may be used. */
interface CondenserFilter {
  /** Condenser names; empty means all. */
  readonly only: readonly string[];
  readonly except: readonly string[];
  /** User-defined condensers, tried before the built-in ones. */
  readonly own: readonly Condenser[];
}

const MAX_REQUESTED_NAMES = 20;

/** Programs that run scripts of a project: `npm test` may run anything. */
const SCRIPT_RUNNERS = commaList(`
  npm run, npm run-script, npm test, npm t, npm start, pnpm, yarn, bun run, deno task, nx, turbo, lerna,
  make, just, task, rake, tox, nox, invoke, bash, sh, composer, poe, hatch, rails, mage, bazel
`);
/** `pnpm install` runs no script. */
const INSTALL_VERBS = /^(?:install|i|add|update|upgrade|fetch|ci|remove|up)$/;
/** Options before the first operand that take a value. */
const OPTIONS_WITH_VALUE: Readonly<Record<string, readonly string[]>> = {
  git: ['-C', '-c', '--git-dir', '--work-tree'],
  docker: ['-H', '--host', '--context', '-c'],
  make: ['-C', '-f', '-j', '-I', '-o', '-W'],
  npm: ['--prefix', '-C', '-w', '--workspace'],
  pnpm: ['-C', '--dir', '-F', '--filter'],
  yarn: ['--cwd'],
  go: ['-C'],
  cargo: ['--manifest-path'],
};

/**
 * Chooses the condenser for a list of commands, or `null`. Each command is a list of words without wrappers
 * such as `env`.
 */
export function chooseCondenser(
  commands: readonly (readonly string[])[],
  { only, except, own }: CondenserFilter,
): Condenser | null {
  const isAllowed = ({ name }: Condenser): boolean =>
    (only.length === 0 || only.includes(name)) && !except.includes(name);
  const found = new Set(
    commands.flatMap((words) =>
      findCondensers(words, own.filter(isAllowed), BUILT_IN_CONDENSERS.filter(isAllowed)),
    ),
  );
  // With several commands it is unknown which one printed a line.
  const usable = [...found].filter((each) => each.ownOutputOnly !== true || commands.length === 1);
  if (usable.length === 0) return null;
  const requestedNames = commands.flatMap((words) =>
    usable.some(({ hasPackageOperands }) => hasPackageOperands === true) ? findRequestedNames(words) : [],
  );
  return { ...joinCondensers(usable), requestedNames };
}

/** The package names of an install command. */
function findRequestedNames(words: readonly string[]): string[] {
  const [, ...names] = toCommandWords(words).operands;
  return names.filter((name) => name.length >= 3).slice(0, MAX_REQUESTED_NAMES);
}

function findCondensers(
  words: readonly string[],
  own: readonly Condenser[],
  builtIn: readonly Condenser[],
): readonly Condenser[] {
  const command = toCommandWords(words);
  const best = findBestCondenser(command, own) ?? findBestCondenser(command, builtIn);
  if (!mayRunAnything(command)) return best === null ? [] : [best];
  return [...(best === null ? [] : [best]), ...own, ...builtIn.filter((each) => each.ownOutputOnly !== true)];
}

interface CommandWords {
  readonly program: string;
  readonly options: readonly string[];
  readonly operands: readonly string[];
}

function toCommandWords([first = '', ...rest]: readonly string[]): CommandWords {
  const program = first.slice(first.lastIndexOf('/') + 1);
  if (/^python[\d.]*$/.test(program) && rest[0] === '-m') return toCommandWords(rest.slice(1));
  const valued = ownProperty(OPTIONS_WITH_VALUE, program) ?? [];
  const isValue = (index: number): boolean => valued.includes(rest[index - 1] ?? '');
  return {
    program,
    options: rest.filter((word) => word.startsWith('-')),
    operands: rest.filter((word, index) => !word.startsWith('-') && !isValue(index)),
  };
}

function findBestCondenser(command: CommandWords, condensers: readonly Condenser[]): Condenser | null {
  const rated = condensers.map((condenser) => ({
    condenser,
    words: Math.max(0, ...condenser.commands.filter((each) => matchesCommand(command, each)).map(countWords)),
  }));
  const best = rated.reduce<(typeof rated)[number] | null>(
    (top, each) => (each.words > (top?.words ?? 0) ? each : top),
    null,
  );
  return best?.condenser ?? null;
}

/** Whether a command matches `go test` or `node --test`: operands in order, options anywhere. */
function matchesCommand({ program, options, operands }: CommandWords, pattern: string): boolean {
  const [name, ...words] = pattern.split(' ');
  const wanted = words.filter((word) => !word.startsWith('-'));
  return (
    name === program &&
    wanted.every((word, index) => operands[index] === word) &&
    words.every((word) => !word.startsWith('-') || options.some((option) => option.split('=')[0] === word))
  );
}

function mayRunAnything(command: CommandWords): boolean {
  if (/\.(?:sh|bash)$/.test(command.program)) return true;
  if (
    ['npm', 'pnpm', 'yarn'].includes(command.program) &&
    INSTALL_VERBS.test(command.operands[0] ?? 'install')
  )
    return false;
  return SCRIPT_RUNNERS.some((pattern) => matchesCommand(command, pattern));
}

function countWords(text: string): number {
  return text.split(' ').length;
}

/** Joins several condensers into one; the first matching rule decides. */
function joinCondensers(condensers: readonly Condenser[]): Condenser {
  const [first, ...others] = condensers;
  if (first !== undefined && others.length === 0) return first;
  const headings = condensers.flatMap(({ headings: each }) => (each === undefined ? [] : each.source));
  const keep = condensers.flatMap(({ keep: each }) => (each === undefined ? [] : each.source));
  return {
    ...(condensers.some(({ hasPackageOperands }) => hasPackageOperands === true)
      ? { hasPackageOperands: true }
      : {}),
    name: condensers.length > 3 ? 'script' : condensers.map(({ name }) => name).join(' and '),
    commands: [],
    rules: condensers.flatMap(({ rules = [] }) => rules),
    blocks: condensers.flatMap(({ blocks = [] }) => blocks),
    groupings: condensers.flatMap(({ groupings = [] }) => groupings),
    ...(keep.length === 0 ? {} : { keep: new RegExp(keep.join('|')) }),
    // A heading of one program may be text of another, so headings are used only if one condenser has them.
    ...(headings.length !== 1 ? {} : { headings: new RegExp(headings[0] ?? '') }),
  };
}
