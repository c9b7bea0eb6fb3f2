import { withGlobs } from '../expand/field-builder.ts';
import { readGit } from '../git/words.ts';
import { isOn, optionValue, parseOptions } from '../unwrap/options.ts';
import type { Field } from '../words/atom.ts';
import { hasOverflow, literalOf, renderField, toField } from '../words/atom.ts';
import { concat } from '../words/join.ts';
import { linesOf } from '../words/lines.ts';
import { START, toPath } from '../words/path.ts';
import { couldBeNamed, isBroad } from '../words/pattern.ts';
import type { Rule } from './rule.ts';
import { spelled } from './rule.ts';

const ADD_OPTIONS = {
  long: [
    ...[
      'dry-run',
      'verbose',
      'interactive',
      'patch',
      'edit',
      'force',
      'update',
      'renormalize',
      'intent-to-add',
    ],
    ...['all', 'ignore-removal', 'refresh', 'ignore-errors', 'ignore-missing', 'sparse', 'chmod='],
    ...['pathspec-from-file=', 'pathspec-file-nul', 'warn-embedded-repo'],
  ],
  permute: true,
  negatable: true,
};

/** Adding whatever happens to lie around. */
export const blindGitAdd: Rule = {
  id: 'no_blind_git_add',
  commands: ['git'],
  message:
    'permission denied: blind git add commands (git add -A, git add ., git add --all, git add *) are not allowed, specify files explicitly',
  instead: 'git add <file> <file>, or git add -u for files that git knows',
  check: (part) => {
    const read = readGit(part.argv);
    if (read?.verb !== 'add' && read?.verb !== 'stage') return null;
    const { options, operands } = parseOptions(read.words, ADD_OPTIONS);
    // These look, ask, or take only what git knows already.
    const harmless = [
      ['n', 'dry-run'],
      ['u', 'update'],
      ['p', 'patch'],
      ['i', 'interactive'],
      ['refresh'],
      ['renormalize'],
      ['h', 'help'],
    ];
    if (harmless.some((names) => isOn(options, names) !== undefined)) return null;
    const file = optionValue(options, ['pathspec-from-file']);
    const listed = literalOf(file) === '-' ? (part.stdin ?? []).flatMap(linesOf) : [];
    const pathspecs = [...operands, ...listed];
    const blind = pathspecs.find((field) => isBlind(field));
    if (blind !== undefined) return `${renderField(blind)} is everything`;
    const all = isOn(options, ['A', 'all']) ?? options.find(({ name }) => name === 'no-ignore-removal');
    // With paths given, -A takes no more than they name.
    if (all !== undefined && pathspecs.every(isExclusion)) return spelled(all, '--all');
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

function isBlind(field: Field): boolean {
  if (hasOverflow(field)) return true;
  if (field.length === 0) return false;
  const literal = literalOf(field);
  if (literal?.startsWith(':')) return isBlindMagic(literal);
  // A quoted pattern is git's to expand, and its star also takes slashes.
  const pattern = literal === null ? field : withGlobs(literal);
  if (isBlindPattern(pattern)) return true;
  // Seen from wherever git runs: `.` is all there is.
  const { base, names } = toPath(field, START);
  return base !== 'unknown' && names.every((name) => isBroad(name));
}

function isBlindPattern(pattern: Field): boolean {
  const [first, ...rest] = pattern;
  const inside =
    first?.kind === 'text' && first.text.startsWith('./')
      ? concat(toField(first.text.slice(2)), rest)
      : pattern;
  // A word nobody knows could be anything; that alone is no reason.
  const isPattern = inside.every(({ kind }) => kind === 'text' || kind === 'glob');
  return isBroad(inside) || (isPattern && literalOf(inside) === null && couldBeNamed(inside, '..'));
}

/** `:/`, `:(top)`, `:/*`, `:` alone; exclusions are counted apart. */
function isBlindMagic(text: string): boolean {
  if (isExclusion(toField(text))) return false;
  const rest = text.replace(/^:(?:\([^)]*\)|[/]*:?)/, '');
  return rest === '' || rest === '.' || rest === './' || isBroad(withGlobs(rest.replace(/\*\*\/?/g, '*')));
}

/** Exclusions alone mean everything else. */
function isExclusion(field: Field): boolean {
  return /^:(?:[!^]|\([^)]*exclude[^)]*\))/.test(literalOf(field) ?? '');
}
