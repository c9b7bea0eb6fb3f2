import { mergeShellChange } from './merge-shell-state.ts';
import { nonInteractiveVariables } from './non-interactive-variables.ts';
import { findSecretSubstrings, isSecretName } from './secret-patterns.ts';
import type { ShellDump } from './shell-dump.ts';
import { EMPTY_SHELL_STATE, type ShellFunction, type ShellState } from './shell-state.ts';

/** Variables about the user, the terminal or the prompt: never taken from rc files. */
const EXCLUDED_VARIABLES =
  /^(?:HOME|USER|LOGNAME|SHELL|TERM|TERMINFO|COLORTERM|IFS|PS\d|PROMPT_.*|HIST.*|MAIL.*|INPUTRC|TMOUT|LS_COLORS|LESS.*|POSIXLY_CORRECT|CDPATH|EXECIGNORE|FUNCNEST|GLOBIGNORE|FIGNORE|SSH_.*|DISPLAY|XDG_(?:SESSION|RUNTIME).*)$/;

/** Options of interactive shells, and options that would break commands. */
const EXCLUDED_OPTIONS =
  /^(?:emacs|vi|monitor|notify|history|histexpand|ignoreeof|interactive-comments|privileged|posix|noclobber|noglob|keyword|allexport|errtrace|functrace)$/;

/** Commands that must not be replaced by functions or aliases of the user. */
const STANDARD_COMMANDS = new Set(
  (
    'awk basename bat bzip2 cat cd chgrp chmod chown clear cmp command comm cp curl cut date dd df diff dir dirname du echo ' +
    'egrep env exec exit expr fgrep file find free git grep gunzip gzip head id ip kill less ln ls make man mkdir more ' +
    'mv nano ncal node npm patch ping popd printf ps pushd pwd python python3 read rm rmdir rsync scp sed sh sleep sort ' +
    'source ssh stat su sudo tail tar tee test time top touch tr tree type uname uniq unzip vdir vi vim watch wc wget which ' +
    'xargs zip builtin declare eval export local set shopt trap unset ' +
    // Other builtins and reserved words.
    '. : [ alias bg bind break caller compgen complete compopt continue dirs disown enable false fc fg getopts hash help ' +
    'history jobs let logout mapfile readarray readonly return shift suspend times true typeset ulimit umask unalias wait ' +
    '! [[ ]] { } case coproc do done elif else esac fi for function if in select then until while'
  ).split(' '),
);

/**
 * Selects the state for commands from the dumps before and after the rc files: names and paths, without prompts
 * and secrets.
 */
export function toSnapshotState(before: ShellDump, after: ShellDump, inheritedPath: string): ShellState {
  const { state } = mergeShellChange(EMPTY_SHELL_STATE, { before, after, callNames: new Set(), secrets: [] });
  const aliases = keepEntries(
    state.aliases,
    (name, text) => !STANDARD_COMMANDS.has(name) && hasNoSecret(text),
  );
  const functions = usedFunctions(state.functions, Object.values(aliases).join('\n'));
  const text = Object.values(functions)
    .map((each) => each.text)
    .join('\n');
  const variables = keepEntries(state.variables, (name, value) => isSnapshotVariable(name, value, text));
  const path = after.variables.get('PATH');
  return {
    ...EMPTY_SHELL_STATE,
    variables: path === undefined ? variables : { ...variables, PATH: joinPaths(path, inheritedPath) },
    functions,
    aliases,
    shopt: state.shopt,
    set: Object.fromEntries(Object.entries(state.set).filter(([name]) => !EXCLUDED_OPTIONS.test(name))),
  };
}

/** Keeps entries that are set and wanted. */
function keepEntries<T>(
  all: Readonly<Record<string, T | null>>,
  isWanted: (name: string, value: T) => boolean,
): Record<string, T> {
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) =>
      value !== null && isWanted(name, value) ? [[name, value]] : [],
    ),
  );
}

/** Exported variables, and variables that a kept function mentions. */
function isSnapshotVariable(name: string, declaration: string, functions: string): boolean {
  if (EXCLUDED_VARIABLES.test(name) || name === 'PATH' || Object.hasOwn(NON_INTERACTIVE, name)) return false;
  if (isSecretName(name) || !hasNoSecret(declaration)) return false;
  const isExported = /^declare -\w*x/.test(declaration);
  return isExported || (/^declare -[-aAilux]+ /.test(declaration) && mentions(functions, name));
}

function hasNoSecret(text: string): boolean {
  return findSecretSubstrings(text).length === 0;
}

const NON_INTERACTIVE = nonInteractiveVariables({ output: 'pipe', ci: true });

function mentions(text: string, name: string): boolean {
  const at = text.indexOf(name);
  return at >= 0 && new RegExp(`(?<!\\w)${name}(?!\\w)`).test(text);
}

/**
 * Functions for direct use, and functions that they call. A name that starts with an underscore is a helper;
 * most of these are for completion, thousands in some shells.
 */
function usedFunctions(
  all: Readonly<Record<string, ShellFunction | null>>,
  aliases: string,
): Record<string, ShellFunction> {
  const clean = keepEntries(all, (_, { text }) => hasNoSecret(text));
  const used = new Map(
    Object.entries(clean).filter(([name]) => !name.startsWith('_') && !STANDARD_COMMANDS.has(name)),
  );
  const inner = new Map(Object.entries(clean).filter(([name]) => name.startsWith('_')));
  const words = (text: string): string[] => text.match(/_[\w.:-]*/g) ?? [];
  const pending = [aliases, ...[...used.values()].map(({ text }) => text)].flatMap(words);
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const found = inner.get(name);
    if (found === undefined || used.has(name)) continue;
    used.set(name, found);
    pending.push(...words(found.text));
  }
  return Object.fromEntries(used);
}

/** Prepends entries of the inherited PATH that the user's PATH does not have. */
function joinPaths(declaration: string, inherited: string): string {
  const [, login] = /^declare -\S+ PATH="(.*)"$/s.exec(declaration) ?? [];
  if (login === undefined) return declaration;
  const entries = login.split(':');
  const own = inherited.split(':').filter((entry) => entry !== '' && !entries.includes(quoteInside(entry)));
  return `declare -x PATH="${[...own.map(quoteInside), ...entries].join(':')}"`;
}

function quoteInside(text: string): string {
  return Buffer.from(text)
    .toString('latin1')
    .replace(/["$\\`]/g, '\\$&');
}
