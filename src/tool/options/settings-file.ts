import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { NacreError } from '../../errors.ts';
import { isRecord } from '../../validator.ts';
import { findJsonOffsets } from './json-offsets.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A settings file that exists. */
export interface SettingsFile {
  readonly path: string;
  readonly text: string;
}

/** The path of the user's settings file, whether it exists or not. */
export function userSettingsPath(env: Environment): string {
  const base = env.XDG_CONFIG_HOME;
  // The XDG specification: a relative path is to be ignored.
  return join(base?.startsWith('/') ? base : join(homeDirectory(env), '.config'), 'nacre/settings.json');
}

/**
 * Reads `.nacre/settings.json` of the project that contains a directory.
 *
 * The search ends at the root of the repository, or below the home directory. Without either, only the directory itself
 * counts, so that a file in `/tmp` of another user has no effect.
 */
export function readProjectSettingsFile(cwd: string, env: Environment): SettingsFile | null {
  const home = homeDirectory(env);
  let found: SettingsFile | null = null;
  for (let directory = cwd; directory !== home; directory = dirname(directory)) {
    found ??= readSettingsIn(directory);
    if (existsSync(join(directory, '.git'))) return found;
    if (dirname(directory) === directory) return readSettingsIn(cwd);
  }
  return found;
}

/** A directory without search permission has no settings; the call that runs a command there reports the problem. */
function readSettingsIn(directory: string): SettingsFile | null {
  try {
    accessSync(directory, constants.X_OK);
  } catch {
    return null;
  }
  return readSettingsFile(join(directory, '.nacre/settings.json'));
}

function homeDirectory(env: Environment): string {
  return env.HOME || homedir();
}

/**
 * Reads a settings file; `null` when it does not exist.
 *
 * @throws {NacreError} `settings_unreadable`
 */
export function readSettingsFile(path: string): SettingsFile | null {
  try {
    return { path, text: readFileSync(path, 'utf8') };
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? String(cause);
    if (reason === 'ENOENT' || reason === 'ENOTDIR') return null;
    throw new NacreError('settings_unreadable', { file: path, reason }, { cause });
  }
}

/**
 * Parses a settings file. Nested names are joined: `{"async": {"enabled": true}}` is `async.enabled`. The values of the keys in
 * `objects` are not flattened.
 */
export function parseSettingsFile(
  { path: file, text }: SettingsFile,
  objects: ReadonlySet<string>,
): ReadonlyMap<string, unknown> {
  const root = parseJson(text, file);
  if (!isRecord(root))
    throw invalidFile({ file, key: 'the file', expected: 'an object', received: String(root) });
  const flat = new Map<string, unknown>();
  for (const [key, value] of flattenGroups(root, { prefix: '', objects })) {
    if (flat.has(key))
      throw invalidFile({
        file: locateKey({ path: file, text }, key),
        key,
        expected: 'set once',
        received: 'two values',
      });
    // `null` counts as not set, and editors read `$schema`.
    if (value !== null && key !== '$schema') flat.set(key, value);
  }
  return flat;
}

interface Flattening {
  readonly prefix: string;
  readonly objects: ReadonlySet<string>;
}

function* flattenGroups(
  group: object,
  { prefix, objects }: Flattening,
): Generator<readonly [string, unknown]> {
  for (const [name, value] of Object.entries(group)) {
    const key = `${prefix}${name}`;
    if (isRecord(value) && !objects.has(key)) yield* flattenGroups(value, { prefix: `${key}.`, objects });
    else yield [key, value];
  }
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(stripComments(text));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const { errorAt } = findJsonOffsets(stripComments(text));
    throw new NacreError('settings_unreadable', { file: toPlace(file, text, errorAt), reason }, { cause });
  }
}

/** The place of a key in a settings file as `path:line`, for errors. */
export function locateKey({ path, text }: SettingsFile, key: string): string {
  return toPlace(path, text, findJsonOffsets(stripComments(text)).keys.get(key));
}

function toPlace(path: string, text: string, offset: number | undefined): string {
  return offset === undefined ? path : `${path}:${text.slice(0, offset).split('\n').length}`;
}

/** Replaces comments and trailing commas outside of strings by spaces, so that positions in errors stay correct. */
function stripComments(text: string): string {
  return text
    .replace(/^\uFEFF/, '')
    .replace(/("(?:[^"\\\n]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, blankComment)
    .replace(/("(?:[^"\\\n]|\\.)*")|,(?=\s*[}\]])/g, blankComment);
}

function blankComment(found: string, kept: string | undefined): string {
  return kept ?? found.replace(/[^\n]/g, ' ');
}

function invalidFile(fields: Readonly<Record<'file' | 'key' | 'expected' | 'received', string>>): NacreError {
  return new NacreError('setting_invalid', fields);
}
