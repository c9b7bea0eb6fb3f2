import { type Field, toLiteral } from '../policy/values/field.ts';
import { isHarmlessName } from './side-effects.ts';

/**
 * Arguments, by program, that run another program, write a file or read settings from another place. A prefix
 * rule does not cover them. Long options may be abbreviated, so the patterns start with the shortest unique
 * form.
 */
const HARMFUL_ARGUMENTS: Readonly<Record<string, RegExp>> = {
  git: /^(?:-[a-zA-Z0-9]*[xO].*|-[cC]|--(?:e|ex|exe.*|ext.*|o|ou.*|op.*|u|up.*|rec.*|tex.*|tem.*|conf.*|git-dir.*|work-tree.*|tool.*|gui|edit.*)(?:=.*)?|config|difftool|mergetool|bisect|run|filter-branch|foreach|hook|archive|bundle|format-patch|daemon|send-email|instaweb|credential.*|citool|ext::.*)$/s,
  find: /^-(?:exec|execdir|ok|okdir|delete|fprint.*|fls)$/,
  fd: /^(?:-[a-zA-Z]*[xX].*|--exec.*)$/s,
  make: /^(?:-[a-zA-Z]*[fCIE].*|--(?:ev|fi|mak|dir|inc).*|[^/]*=.*)$/s,
  npm: /^(?:exec|x|-C.*|--(?:script-shell|prefix|userconfig|globalconfig|node-options|shell|editor|viewer|git).*)$/s,
  npx: /^(?:-[a-z]*[pc].*|--(?:package|call|node-options|script-shell|prefix).*)$/s,
  tar: /^(?:-?[a-zA-Z]*[IFxc][a-zA-Z]*|--(?:to-c|checkpoint-a|use-c|info-s|new-v|rsh|extract|get|create).*)$/s,
  sort: /^(?:-[a-zA-Z]*[oT].*|--(?:o|comp|temp).*)$/s,
  rg: /^--(?:pre|hostname-bin).*$/s,
  sed: /^(?:-[a-zA-Z]*[isf].*|--(?:in|f).*|.*[ew].*)$/s,
  tree: /^-[a-zA-Z]*[oR].*$/s,
  go: /^(?:-{1,2}(?:exec|toolexec|o|C|overlay|modfile|vettool)(?:=.*)?|generate|run|tool|env)$/s,
  cargo: /^(?:--config.*|-C.*|--manifest-path.*|run|install)$/s,
  curl: /^(?:-[a-zA-Z#]*[oOKTJDc].*|--(?:o|remote-n|config|upload|dump|cookie-j|trace|stderr|libcurl|hsts|alt-svc|etag-s).*)$/s,
  wget: /^(?:-[a-zA-Z]*[OoPaie].*|--(?:o|exe|use-a|dir|append|input|config|post-f).*)$/s,
  rsync: /^(?:-[a-zA-Z]*e.*|--(?:rsh|rsync-path|log-file|write-batch).*)$/s,
  ssh: /^-[a-zA-Z0-9]*[oFEJ].*$/s,
  man: /^(?:-[a-zA-Z]*[PHCl].*|--(?:pager|html|browser|config).*)$/s,
  strace: /^(?:-[a-zA-Z]*o.*|--ou.*)$/s,
  time: /^(?:-[a-z]*[oa].*|--(?:o|a).*)$/s,
  env: /^(?:-[a-zA-Z0-9]*[SC].*|--(?:s|c).*)$/s,
  printf: /^-v.*$/s,
  test: /^-[vR]$/,
  '[': /^-[vR]$/,
};

/** Builtins that set the variables named by their words and evaluate subscripts. */
const NAME_SETTING_BUILTINS =
  /^(?:read|unset|mapfile|readarray|getopts|let|declare|typeset|export|readonly|local)$/;

/** Whether an argument after the words of a rule does more than the rule allows, or may do so. */
export function isHarmfulWord(program: string, word: Field): boolean {
  const literal = toLiteral(word);
  if (NAME_SETTING_BUILTINS.test(program))
    return literal === null || (!literal.startsWith('-') && !isHarmlessName(literal.replace(/=.*$/s, '')));
  const harmful = Object.hasOwn(HARMFUL_ARGUMENTS, program) ? HARMFUL_ARGUMENTS[program] : undefined;
  if (harmful === undefined) return false;
  if (literal !== null) return harmful.test(literal);
  const [first] = word;
  // A word that begins with known text is an option only if that text starts with a dash.
  return first?.kind !== 'text' || /^-/.test(first.text);
}
