import type { Command } from 'unbash';
import { LANGUAGE_NAMES } from '../language/languages.ts';
import { HANDLERS } from '../unwrap/handlers.ts';
import { mayRunWords } from '../unwrap/unknown-program.ts';
import { SETTERS } from './setters.ts';
import type { FoundCommand } from './survey.ts';

/** They only set variables: they matter when the variable does. */
const ONLY_SET = new Set([...SETTERS, 'tee', 'shopt']);

/** What git does without adding, pushing or running anything else. */
const HARMLESS_GIT = new Set([
  ...[
    'log',
    'status',
    'diff',
    'show',
    'rev-parse',
    'ls-files',
    'branch',
    'checkout',
    'fetch',
    'merge-base',
    'cat-file',
  ],
  ...[
    'for-each-ref',
    'rev-list',
    'describe',
    'symbolic-ref',
    'commit',
    'merge',
    'tag',
    'show-ref',
    'update-index',
  ],
  ...[
    'hash-object',
    'commit-tree',
    'read-tree',
    'write-tree',
    'update-ref',
    'reset',
    'stash',
    'clone',
    'init',
    'remote',
  ],
  ...[
    'ls-tree',
    'ls-remote',
    'diff-index',
    'diff-tree',
    'diff-files',
    'name-rev',
    'var',
    'grep',
    'apply',
    'am',
    'mv',
    'rm',
  ],
]);

const RUNS_COMMANDS =
  /system|exec|popen|spawn|subprocess|Popen|Command|qx|rmtree|remove|rimraf|rm_rf?|rm(?:dir)?Sync|\.rm|do shell|`|\|/;

/** Whether a command can be one that a rule fires on, or run one. */
export function createRelevance(
  names: ReadonlySet<string>,
): (command: FoundCommand, source: string) => boolean {
  return ({ node, name }, source) => {
    if (name === null) return true;
    const program = name.slice(name.lastIndexOf('/') + 1);
    if (program === 'git') return !isHarmlessGit(node);
    if (names.has(program) || program.startsWith('git-')) return true;
    return mayRun(program, node, source) || (name.includes('/') && isWritten(program, source));
  };
}

function mayRun(program: string, node: Command, source: string): boolean {
  if (LANGUAGE_NAMES.includes(program)) return RUNS_COMMANDS.test(source.slice(node.pos, node.end));
  if (ONLY_SET.has(program)) return false;
  if (program === 'sed') return /\b(?:git|rm)\b/.test(source.slice(node.pos, node.end));
  const words = node.args.map((item) => (item.type === 'Word' ? item.value : ''));
  return HANDLERS.has(program) || mayRunWords(program, words) || writesScript(node, source);
}

function isHarmlessGit({ args }: Command): boolean {
  const [verb] = args;
  return verb?.type === 'Word' && verb.parts === undefined && HARMLESS_GIT.has(verb.text);
}

/** A file that is written and mentioned again may be run. */
function writesScript({ redirects }: Command, source: string): boolean {
  return redirects.some((redirect) => {
    if (redirect.type !== 'Redirect' || !redirect.operator.includes('>')) return false;
    const name = redirect.target?.value.replace(/.*\//, '') ?? '';
    return name !== 'null' && !/^\d+$/.test(name) && source.indexOf(name) !== source.lastIndexOf(name);
  });
}

function isWritten(program: string, source: string): boolean {
  return source.indexOf(program) !== source.lastIndexOf(program);
}
