import { wordList } from '../../../engine/text/word-list.ts';
import { type GitInvocation, parseGit } from '../programs/git-command.ts';
import {
  findEnabledOption,
  optionValue,
  type ParsedOptions,
  parseProgramOptions,
} from '../unwrap/program-options.ts';
import type { CommandPart } from '../values/command-evaluation.ts';
import {
  concatFields,
  type Field,
  hasOverflow,
  renderField,
  splitLines,
  toField,
  toLiteral,
} from '../values/field.ts';
import { toGlobField } from '../values/field-builder.ts';
import { START_PATH, toFieldPath } from '../values/field-path.ts';
import { isBroadPattern, mayMatchName } from '../values/field-pattern.ts';
import { type CompiledRule, describeOption } from './policy-rule.ts';

const GIT_ADD_OPTIONS = {
  long: wordList(`
    dry-run verbose interactive patch edit force update renormalize intent-to-add all ignore-removal
    refresh ignore-errors ignore-missing sparse chmod= pathspec-from-file= pathspec-file-nul
    warn-embedded-repo
  `),
  permute: true,
  negatable: true,
};

/** Refuses `git add` of everything in the working tree. */
export const blindGitAddRule: CompiledRule = {
  id: 'no_blind_git_add',
  commands: ['git'],
  message:
    'permission denied: blind git add commands (git add -A, git add ., git add --all, git add *) are not allowed, specify files explicitly',
  instead: 'git add <file> <file>, or git add -u for files that git knows',
  check: (part) => {
    const read = parseGit(part.argv);
    if (read?.verb !== 'add' && read?.verb !== 'stage') return null;
    const { options, operands } = parseProgramOptions(read.words, GIT_ADD_OPTIONS);
    // Options that only show, ask, or add files that git already tracks.
    const harmless = [
      ['n', 'dry-run'],
      ['u', 'update'],
      ['p', 'patch'],
      ['i', 'interactive'],
      ['refresh'],
      ['renormalize'],
      ['h', 'help'],
    ];
    if (harmless.some((names) => findEnabledOption(options, names) !== undefined)) return null;
    const file = optionValue(options, ['pathspec-from-file']);
    const listed = toLiteral(file) === '-' ? (part.stdin ?? []).flatMap(splitLines) : [];
    const pathspecs = [...operands, ...listed];
    const blind = pathspecs.find((field) => isBlindPathspec(field));
    if (blind !== undefined) return `${renderField(blind)} is everything`;
    const all =
      findEnabledOption(options, ['A', 'all']) ?? options.find(({ name }) => name === 'no-ignore-removal');
    // With paths, `-A` covers only those paths.
    if (all !== undefined && pathspecs.every(isExclusion)) return describeOption(all, '--all');
    return pathspecs.length > 0 && pathspecs.every(isExclusion) ? 'only exclusions are given' : null;
  },
  examples: {
    match: [
      'git add -A',
      'git add .',
      'git add --all',
      'git add *',
      'git -C app add ./',
      "git add ':/'",
      'git stage -Av',
    ],
    noMatch: [
      'git add src/a.ts',
      'git add -u',
      'git add *.md',
      'git add .gitignore',
      "git commit -m 'git add .'",
      'git worktree add .',
    ],
  },
};

function isBlindPathspec(field: Field): boolean {
  if (hasOverflow(field)) return true;
  if (field.length === 0) return false;
  const literal = toLiteral(field);
  if (literal?.startsWith(':')) return isBlindMagic(literal);
  // git expands a quoted pattern itself, and its star also matches slashes.
  const pattern = literal === null ? field : toGlobField(literal);
  if (isBlindPattern(pattern)) return true;
  // `.` is the whole directory in which git runs.
  const { base, names } = toFieldPath(field, START_PATH);
  return base !== 'unknown' && names.every((name) => isBroadPattern(name));
}

function isBlindPattern(pattern: Field): boolean {
  const [first, ...rest] = pattern;
  const inside =
    first?.kind === 'text' && first.text.startsWith('./')
      ? concatFields(toField(first.text.slice(2)), rest)
      : pattern;
  // An unknown word alone is no reason to refuse.
  const isPattern = inside.every(({ kind }) => kind === 'text' || kind === 'glob');
  return isBroadPattern(inside) || (isPattern && toLiteral(inside) === null && mayMatchName(inside, '..'));
}

/** Whether a pathspec with magic (`:/`, `:(top)`, `:/*`, `:`) covers everything. */
function isBlindMagic(text: string): boolean {
  if (isExclusion(toField(text))) return false;
  const rest = text.replace(/^:(?:\([^)]*\)|[/]*:?)/, '');
  return (
    rest === '' || rest === '.' || rest === './' || isBroadPattern(toGlobField(rest.replace(/\*\*\/?/g, '*')))
  );
}

/** Exclusions alone cover everything else. */
function isExclusion(field: Field): boolean {
  return /^:(?:[!^]|\([^)]*exclude[^)]*\))/.test(toLiteral(field) ?? '');
}

const GIT_PUSH_OPTIONS = {
  short: 'o',
  long: wordList(`
    verbose quiet repo= all branches mirror delete tags dry-run porcelain force force-with-lease=?
    force-if-includes recurse-submodules= thin receive-pack= exec= set-upstream progress prune verify
    follow-tags signed=? atomic push-option= ipv4 ipv6
  `),
  permute: true,
  negatable: true,
};

/** Refuses pushes that overwrite remote history. */
export const forcePushRule: CompiledRule = {
  id: 'no_force_push',
  commands: ['git'],
  message:
    'permission denied: git push --force is not allowed. Use --force-with-lease for safer force pushes, or push without force',
  instead: 'git push --force-with-lease, or git push',
  check: (part: CommandPart) => {
    const read = parseGit(part.argv);
    if (read?.verb !== 'push' && read?.verb !== 'send-pack') return null;
    const parsed = parseProgramOptions(read.words, GIT_PUSH_OPTIONS);
    if (
      findEnabledOption(parsed.options, ['n', 'dry-run', 'help']) ||
      parsed.options.some(({ name }) => name === 'h')
    )
      return null;
    return forcedByOption(parsed) ?? forcedByRefspec(parsed) ?? forcedByConfig(read);
  },
  examples: {
    match: [
      'git push --force',
      'git push -fu origin main',
      'git push origin +main',
      'git push --mirror',
      "git -c alias.p='push -f' p",
    ],
    noMatch: [
      'git push',
      'git push --force-with-lease',
      'git push -o ci.skip',
      'git fetch --force',
      "git commit -m 'git push -f'",
    ],
  },
};

function forcedByOption({ options, operands }: ParsedOptions): string | null {
  const force = findEnabledOption(options, ['f', 'force']);
  if (force !== undefined) return describeOption(force, '--force');
  const mirror = findEnabledOption(options, ['mirror']);
  if (mirror !== undefined) return `${renderField(mirror.word)} forces every ref`;
  return operands.some(hasOverflow) ? 'its words have too many possible values to check' : null;
}

/** The first operand is the remote, unless `--repo` names it. */
function forcedByRefspec({ options, operands }: ParsedOptions): string | null {
  const refspecs = options.some(({ name }) => name === 'repo') ? operands : operands.slice(1);
  const forced = refspecs.find(startsWithPlus);
  return forced === undefined ? null : `the + in ${renderField(forced)} forces that ref`;
}

function startsWithPlus([first]: Field): boolean {
  return first?.kind === 'text' && first.text.startsWith('+');
}

function forcedByConfig({ config }: GitInvocation): string | null {
  for (const { key, value } of config) {
    if (/^remote\..*\.push$/.test(key) && startsWithPlus(value)) return `${key} forces its ref`;
    if (/^remote\..*\.mirror$/.test(key) && /^(?:true|yes|on|1)$/i.test(toLiteral(value) ?? ''))
      return `${key} forces every ref`;
  }
  return null;
}
