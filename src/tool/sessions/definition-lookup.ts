import { readFileSync } from 'node:fs';
import type { RcSnapshotTexts } from '../../engine/shell/rc-snapshot-store.ts';
import type { ShellState } from '../../engine/shell/shell-state.ts';
import { ownProperty } from '../../engine/text/own-property.ts';

/** Sources of definitions in the shell of a session. */
interface DefinedNames {
  readonly state: ShellState;
  readonly snapshot: { readonly textsPath: string; readonly names: readonly string[] } | null;
}

/**
 * Definitions beyond this size are not evaluated again: the policy saw each of them when a command defined it.
 */
const MAX_DEFINITIONS_LENGTH = 16 * 1024;

/** Finds the definitions in a session's shell that a command uses, so that the policy can evaluate them. */
export class DefinitionLookup {
  #seen: { readonly path: string; readonly texts: RcSnapshotTexts } | undefined;
  #names: { readonly collect: readonly string[]; readonly set: ReadonlySet<string> } | undefined;

  /**
   * Returns the functions, aliases and variables that a command mentions, directly or through other
   * definitions.
   */
  of(command: string, { state, snapshot }: DefinedNames): string {
    const lookups = [this.#snapshotLookup(state, snapshot)];
    if (definesNames(state)) lookups.unshift((name) => definitionsInState(state, name));
    const parts: string[] = [];
    const seen = new Set<string>();
    const pending = [...namesMentionedIn(command)];
    let length = 0;
    for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
      if (seen.has(name)) continue;
      seen.add(name);
      for (const text of lookups.flatMap((lookup) => lookup(name as string))) {
        length += text.length;
        if (length > MAX_DEFINITIONS_LENGTH) return renderDefinitions(parts, state);
        parts.push(text);
        pending.push(...namesMentionedIn(text));
      }
    }
    return renderDefinitions(parts, state);
  }

  /**
   * The user's functions and aliases that the session has not replaced. The file is read when a name is
   * mentioned.
   */
  #snapshotLookup(state: ShellState, snapshot: DefinedNames['snapshot']): (name: string) => string[] {
    if (snapshot === null) return () => [];
    const { names, textsPath } = snapshot;
    if (this.#names?.collect !== names) this.#names = { collect: names, set: new Set(names) };
    const known = this.#names.set;
    return (name) => {
      if (!known.has(name)) return [];
      const { functions, aliases } = this.#read(textsPath);
      const found = [
        Object.hasOwn(state.functions, name) ? undefined : ownProperty(functions, name),
        Object.hasOwn(state.aliases, name) ? undefined : ownProperty(aliases, name),
      ];
      return found.flatMap((text) => text ?? []).map(decodeUtf8FromLatin1);
    };
  }

  #read(path: string): RcSnapshotTexts {
    if (this.#seen?.path !== path) this.#seen = { path, texts: readSnapshotTexts(path) };
    return this.#seen.texts;
  }
}

function readSnapshotTexts(path: string): RcSnapshotTexts {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as RcSnapshotTexts;
  } catch {
    return { functions: {}, aliases: {} };
  }
}

function definitionsInState({ functions, aliases, variables }: ShellState, name: string): string[] {
  const found = [
    ownProperty(variables, name),
    ownProperty(functions, name)?.text,
    ownProperty(aliases, name),
  ];
  return found.flatMap((text) => text ?? []).map(decodeUtf8FromLatin1);
}

/** Candidate names: whole words with and without quotes, and everything that can be a variable name. */
function namesMentionedIn(text: string): ReadonlySet<string> {
  const plain = text.replace(/['"\\]/g, '');
  return new Set([
    ...(text.match(WORD_PATTERN) ?? []),
    ...(plain === text ? [] : (plain.match(WORD_PATTERN) ?? [])),
    ...(text.match(VARIABLE_PATTERN) ?? []),
  ]);
}

const WORD_PATTERN = /[^\s;&|<>()'"`$\\{}=]+/g;
const VARIABLE_PATTERN = /[A-Za-z_]\w*/g;

/** A session with aliases expands them unless `expand_aliases` is switched off. */
function renderDefinitions(parts: readonly string[], { shopt }: ShellState): string {
  if (parts.length === 0) return '';
  const expands = shopt.expand_aliases !== false && parts.some((part) => part.startsWith('alias '));
  return [...(expands ? ['shopt -s expand_aliases'] : []), ...parts, ''].join('\n');
}

/** Texts in a shell state have one byte per character. */
function decodeUtf8FromLatin1(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** Whether a session's shell has any definitions. */
export function hasDefinitions({ state, snapshot }: DefinedNames): boolean {
  return (snapshot !== null && snapshot.names.length > 0) || definesNames(state);
}

function definesNames({ functions, aliases, variables }: ShellState): boolean {
  return [functions, aliases, variables].some((table) => Object.keys(table).length > 0);
}
