import { aliasesIn, variablesIn } from './declarations.ts';
import { DUMP_END } from './dump.ts';
import type { ShellFunction } from './shell-state.ts';

/** A shell as it was at one moment. */
export interface ShellDump {
  readonly cwd: string;
  readonly oldCwd: string;
  readonly shopt: ReadonlySet<string>;
  readonly set: ReadonlySet<string>;
  /** The functions that had been entered and not left, the innermost first. */
  readonly entered: readonly string[];
  readonly umask: string;
  readonly stack: readonly string[];
  readonly aliases: ReadonlyMap<string, string>;
  /** The names that belong to the innermost function. */
  readonly locals: ReadonlySet<string>;
  readonly variables: ReadonlyMap<string, string>;
  /** `null` when they were not asked for. */
  readonly functions: ReadonlyMap<string, ShellFunction> | null;
}

/** `null` for one that is not there or was not finished. */
export function readDump(text: string): ShellDump | null {
  const parts = text.split('\0');
  if (parts.length < 12 || parts.at(-2) !== DUMP_END) return null;
  const [cwd = '', oldCwd = '', set = '', entered = '', shopt = '', umask = '', dirs = '', ...rest] = parts;
  const [aliases = '', locals = '', variables = '', declared = '', ...texts] = rest;
  const found = variablesIn(variables);
  // Aliases that the ground brought are switched on right after the first look.
  const isOn = found.get('__nacre_aliases') === 'declare -- __nacre_aliases="1"';
  return {
    cwd: toPath(cwd),
    oldCwd: toPath(oldCwd),
    shopt: new Set([...(shopt.match(/^\w+/gm) ?? []), ...(isOn ? ['expand_aliases'] : [])]),
    set: new Set(set.split(':')),
    entered: entered.split(' ').filter((name) => name !== ''),
    umask: umask.trim(),
    stack: dirs.split('\n').slice(1, -1),
    aliases: aliasesIn(aliases),
    locals: new Set(variablesIn(locals).keys()),
    variables: found,
    functions: declared === '' ? null : functionsIn(declared, texts),
  };
}

/** Where Node is to go: unlike all else here it is text. */
function toPath(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** `declared` has a line for each text, in the same order. */
function functionsIn(declared: string, texts: readonly string[]): Map<string, ShellFunction> {
  const found = new Map<string, ShellFunction>();
  const lines = declared.split('\n').filter((line) => line !== '');
  lines.forEach((declaration, at) => {
    const name = declaration.replace(/^declare -\S+ /, '');
    const text = texts[at];
    if (text !== undefined && text !== DUMP_END) found.set(name, { text, declaration });
  });
  return found;
}
