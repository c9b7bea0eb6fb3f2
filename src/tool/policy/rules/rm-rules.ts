import { wordList } from '../../../engine/text/word-list.ts';
import { findEnabledOption, parseProgramOptions } from '../unwrap/program-options.ts';
import type { CommandPart } from '../values/command-evaluation.ts';
import { type Field, hasOverflow, renderField, toLiteral } from '../values/field.ts';
import { type FieldPath, toFieldPath } from '../values/field-path.ts';
import { isBroadPattern } from '../values/field-pattern.ts';
import { type DeletionDanger, findDeletionDanger, type HostDirectories } from './deletion-danger.ts';
import type { CompiledRule } from './policy-rule.ts';

const RM_OPTIONS = {
  long: wordList(`
    force interactive=? one-file-system no-preserve-root preserve-root=? recursive dir verbose help
    version
  `),
  permute: true,
} as const;

/** Refuses recursive deletions of repositories, home directories and the root. */
export const dangerousRmRule: CompiledRule = {
  id: 'no_dangerous_rm',
  commands: ['rm'],
  message:
    'permission denied: this rm command could delete critical data (.git, home directory, or root). Specify the full path explicitly (no wildcards, ~, or $HOME)',
  instead: 'name each file or directory to delete by its full path',
  check: (part, directories) => {
    const { options, operands } = parseProgramOptions(part.argv.slice(1), RM_OPTIONS);
    if (options.some(({ name }) => name === 'help' || name === 'version')) return null;
    const recursive = findEnabledOption(options, ['r', 'R', 'recursive']) !== undefined;
    for (const operand of operands) {
      const danger = findOperandDanger(operand, { part, directories, recursive });
      if (danger !== null) return `${renderField(operand)} is ${danger}`;
    }
    return null;
  },
  examples: {
    match: [
      'rm -rf /',
      'rm -rf ~',
      'rm -rf .git',
      'rm -rf *',
      'sudo rm -r --force "$HOME"',
      "bash -c 'cd / && rm -rf *'",
    ],
    noMatch: [
      'rm -rf node_modules',
      'rm -f .git/index.lock',
      "rm -rf '~'",
      "echo 'rm -rf /'",
      'rm -rf "$tmp"',
    ],
  },
};

interface RmOperand {
  readonly part: CommandPart;
  readonly directories: HostDirectories;
  readonly recursive: boolean;
}

function findOperandDanger(operand: Field, { part, directories, recursive }: RmOperand): DeletionDanger {
  // `find` passes every file, so that no recursive option is needed.
  const deep = operand.some((atom) => atom.kind === 'glob' && atom.deep);
  if ((!recursive && !deep) || operand.length === 0) return null;
  if (hasOverflow(operand)) return 'one of too many possible values to check';
  for (const path of resolvePaths(operand, part)) {
    const danger = findDeletionDanger(path, directories);
    if (danger !== null) return danger;
  }
  return null;
}

/** Directories in which nothing may be deleted. */
const PROTECTED_TREES = new Set(wordList('bin boot dev etc lib lib32 lib64 proc sbin sys usr'));

/** Directories inside protected trees whose entries are not part of the system. */
const UNPROTECTED_DIRECTORIES = new Set(['dev/shm', 'usr/local', 'usr/src']);

/** Directories that are protected themselves, and whose entries are protected when a pattern names them. */
const PROTECTED_TOP_DIRECTORIES = new Set(
  wordList('home mnt media opt root run srv var Users Library System Applications'),
);

/** Directories whose direct entries are also protected. */
const PROTECTED_SECOND_LEVEL = new Set(['home', 'Users', 'var']);

/** Refuses recursive deletions of system directories. */
export const systemDirectoryRmRule: CompiledRule = {
  id: 'no_system_directory_rm',
  commands: ['rm'],
  message:
    'permission denied: this rm command would delete a system directory. Delete only files that you created, or ask the user',
  instead: 'delete only files created for this task',
  check: (part) => {
    const { options, operands } = parseProgramOptions(part.argv.slice(1), RM_OPTIONS);
    if (findEnabledOption(options, ['r', 'R', 'recursive']) === undefined) return null;
    const system = operands.find((operand) => resolvePaths(operand, part).some(isSystemPath));
    return system === undefined ? null : `${renderField(system)} belongs to the system`;
  },
  examples: {
    match: ['rm -rf /etc', 'rm -rf /usr/lib', 'sudo rm -r /var/lib', 'rm -rf /home/alice', 'rm -rf /opt/*'],
    noMatch: [
      'rm -rf /usr/local/app',
      'rm -rf /usr/src/app/dist',
      'rm -rf /dev/shm/x',
      'rm -rf /var/lib/apt/lists/*',
      'rm -rf /opt/app',
      'rm -rf /home/alice/project/dist',
      'rm -rf /tmp/x',
    ],
  },
};

/** Resolves a word as a path from each directory in which the command may run. */
function resolvePaths(field: Field, { cwd }: CommandPart): readonly FieldPath[] {
  return cwd.map((from) => toFieldPath(field, from));
}

function isSystemPath({ base, names }: FieldPath): boolean {
  if (base !== 'root') return false;
  const [first, second] = names;
  const top = toLiteral(first) ?? '';
  const below = second === undefined ? 0 : names.length - 1;
  if (PROTECTED_TREES.has(top))
    return !(below > 1 && UNPROTECTED_DIRECTORIES.has(`${top}/${toLiteral(second)}`));
  if (!PROTECTED_TOP_DIRECTORIES.has(top)) return false;
  if (below === 0) return true;
  return below === 1 && second !== undefined && (PROTECTED_SECOND_LEVEL.has(top) || isBroadPattern(second));
}
