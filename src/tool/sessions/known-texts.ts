import { readFileSync } from 'node:fs';
import type { SnapshotTexts } from '../../engine/shell/snapshot/snapshot-store.ts';
import { namesOf, type ShellState } from '../../engine/shell/state/shell-state.ts';
import { ownValue } from '../../engine/text/own-value.ts';

/** What gives names a meaning in the shell of a session. */
export interface KnownShell {
  readonly state: ShellState;
  readonly snapshot: { readonly textsPath: string; readonly names: readonly string[] } | null;
}

/** Longer ones are not looked into again: what a command defines was looked at when it was defined. */
const MOST_LENGTH = 16 * 1024;

/** What the names in a command mean in a session's shell, for whoever judges the command. */
export class KnownTexts {
  #seen: { readonly path: string; readonly texts: SnapshotTexts } | undefined;
  #names: { readonly of: readonly string[]; readonly set: ReadonlySet<string> } | undefined;

  /** The functions, aliases and variables that a command refers to, and what these refer to; empty for none. */
  of(command: string, { state, snapshot }: KnownShell): string {
    const lookups = [(name: string) => textsIn(state, name), this.#snapshotLookup(state, snapshot)];
    const parts: string[] = [];
    const seen = new Set<string>();
    const pending = [...namesIn(command)];
    let length = 0;
    for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
      if (seen.has(name)) continue;
      seen.add(name);
      for (const text of lookups.flatMap((lookup) => lookup(name as string))) {
        length += text.length;
        if (length > MOST_LENGTH) return render(parts, state);
        parts.push(text);
        pending.push(...namesIn(text));
      }
    }
    return render(parts, state);
  }

  /** The user's own functions and aliases, where the session has not replaced them; read when one is mentioned. */
  #snapshotLookup(state: ShellState, snapshot: KnownShell['snapshot']): (name: string) => string[] {
    if (snapshot === null) return () => [];
    const { names, textsPath } = snapshot;
    if (this.#names?.of !== names) this.#names = { of: names, set: new Set(names) };
    const known = this.#names.set;
    return (name) => {
      if (!known.has(name)) return [];
      const { functions, aliases } = this.#read(textsPath);
      const found = [
        Object.hasOwn(state.functions, name) ? undefined : ownValue(functions, name),
        Object.hasOwn(state.aliases, name) ? undefined : ownValue(aliases, name),
      ];
      return found.flatMap((text) => text ?? []).map(toText);
    };
  }

  #read(path: string): SnapshotTexts {
    if (this.#seen?.path !== path) this.#seen = { path, texts: readTexts(path) };
    return this.#seen.texts;
  }
}

function readTexts(path: string): SnapshotTexts {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as SnapshotTexts;
  } catch {
    return { functions: {}, aliases: {} };
  }
}

function textsIn({ functions, aliases, variables }: ShellState, name: string): string[] {
  const found = [ownValue(variables, name), ownValue(functions, name)?.text, ownValue(aliases, name)];
  return found.flatMap((text) => text ?? []).map(toText);
}

/** Pieces that may be names: whole words, with and without their quotes, and what can be the name of a variable. */
function namesIn(text: string): ReadonlySet<string> {
  const plain = text.replace(/['"\\]/g, '');
  return new Set([
    ...(text.match(WORD) ?? []),
    ...(plain === text ? [] : (plain.match(WORD) ?? [])),
    ...(text.match(VARIABLE) ?? []),
  ]);
}

const WORD = /[^\s;&|<>()'"`$\\{}=]+/g;
const VARIABLE = /[A-Za-z_]\w*/g;

/** Aliases are expanded in a session that has some, unless it was told not to. */
function render(parts: readonly string[], { shopt }: ShellState): string {
  if (parts.length === 0) return '';
  const expands = shopt.expand_aliases !== false && parts.some((part) => part.startsWith('alias '));
  return [...(expands ? ['shopt -s expand_aliases'] : []), ...parts, ''].join('\n');
}

/** A state holds one byte in each character. */
function toText(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** Whether a session's shell gives any name a meaning. */
export function hasNames({ state, snapshot }: KnownShell): boolean {
  if (snapshot !== null && snapshot.names.length > 0) return true;
  const { functions, aliases, variables } = state;
  return [functions, aliases, variables].some((kind) => namesOf(kind).length > 0);
}
