import type { Field } from '../words/atom.ts';
import { placeField, toField } from '../words/atom.ts';
import { concat } from '../words/join.ts';
import { STRING, unquote } from './calls.ts';

/** Functions that delete a directory with all that is in it. */
const TREES =
  /(?:\.rm|\b(?:shutil\.rmtree|rmtree|remove_tree|rm_rf|rm_r|remove_dir|remove_entry_secure|rmSync|rmdirSync|removeSync|emptyDirSync|rimraf(?:\.sync|Sync)?|Deno\.removeSync|Deno\.remove|unlink_recursive))\s*[( ]\s*([^;\n]*)/g;

const HOME =
  /^(?:(?:pathlib\.)?Path\.home\(\)|os\.path\.expanduser\(\s*(?:["']~["'])\s*\)|os\.environ(?:\[["']HOME["']\]|\.get\(\s*["']HOME["']\s*\))|os\.getenv\(\s*["']HOME["']\s*\)|(?:require\(\s*["'](?:node:)?os["']\s*\)|os)\.homedir\(\)|homedir\(\)|process\.env\.HOME|Deno\.env\.get\(\s*["']HOME["']\s*\)|Dir\.home|ENV\[["']HOME["']\]|\$ENV\{["']?HOME["']?\}|getenv\(\s*["']HOME["']\s*\))/;

const HERE =
  /^(?:os\.getcwd\(\)|process\.cwd\(\)|Deno\.cwd\(\)|Dir\.pwd|getcwd\(\)|(?:pathlib\.)?Path\.cwd\(\))/;

const WRAPPED =
  /^(?:(?:pathlib\.)?Path|str|os\.path\.(?:expanduser|abspath|realpath|join)|path\.(?:resolve|join))\(\s*/;

/** The directories that a program plainly deletes. Node's functions delete a tree only when they are told to. */
export function deletedTrees(code: string): readonly Field[] {
  return [...code.matchAll(TREES)].flatMap(([whole, rest = '']) => {
    const isNode = /^(?:rmSync|rmdirSync|\.rm|Deno\.remove)/.test(whole);
    if (isNode && !/recursive/.test(rest)) return [];
    const path = pathOf(rest.trim());
    return path === null ? [] : [path];
  });
}

function pathOf(text: string): Field | null {
  if (HOME.test(text)) return concat(placeField('home'), below(text.replace(HOME, '')));
  if (HERE.test(text)) return concat(placeField('start'), below(text.replace(HERE, '')));
  const expands = /^os\.path\.expanduser|^(?:pathlib\.)?Path/.test(text);
  const wrapped = WRAPPED.exec(text);
  if (wrapped !== null) return pathOf(text.slice(wrapped[0].length));
  const match = new RegExp(`^\\[?(?:[rbuf]{0,2})(?:${STRING})\\s*([^\\s])?`).exec(text);
  if (match === null || /[+%.]/.test(match[3] ?? '')) return null;
  const path = unquote(match[1] ?? match[2] ?? '');
  if (path === '~' || path.startsWith('~/'))
    return expands || text.startsWith('~')
      ? concat(placeField('home'), toField(path.slice(1)))
      : homePath(path);
  return toField(path);
}

/** A tilde means home only to those who expand it; nobody names a directory so. */
function homePath(path: string): Field {
  return concat(placeField('home'), toField(path.slice(1)));
}

/** What is joined to a known directory: ` / "x"`, `, "x")`, ` + "/x"`. */
function below(rest: string): Field {
  const match = new RegExp(`^\\s*[/+,]\\s*(?:${STRING})`).exec(rest);
  if (match === null)
    return /^\s*[/+,]\s*\w/.test(rest) ? [toField('/'), [{ kind: 'unknown' } as const]].flat() : [];
  const path = unquote(match[1] ?? match[2] ?? '');
  return toField(path.startsWith('/') ? path : `/${path}`);
}
