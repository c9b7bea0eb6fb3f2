import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { NacreError } from '../../errors.ts';
import { didYouMean } from '../../validator.ts';
import { SETTING_TABLE, type Setting, toEnvironmentVariable } from './setting-table.ts';

type FileEnvironment = Readonly<Record<string, string | undefined>>;

export interface SettingsFile {
  readonly path: string;
  readonly text: string;
}

/** The user's own file, whether it exists or not. */
export function userSettingsPath(env: FileEnvironment): string {
  const base = env.XDG_CONFIG_HOME;
  // The XDG specification: a relative path is to be ignored.
  return join(base?.startsWith('/') ? base : join(homeDirectory(env), '.config'), 'nacre/settings.json');
}

export function readUserSettingsFile(env: FileEnvironment): SettingsFile | null {
  return readSettingsFile(userSettingsPath(env));
}

/**
 * `.nacre/settings.json` of the project a directory belongs to.
 *
 * A project ends where its repository does, or below the home directory. Where there is neither, only the
 * directory itself counts: what somebody put into `/tmp` has no say.
 */
export function readProjectSettingsFile(cwd: string, env: FileEnvironment): SettingsFile | null {
  const home = homeDirectory(env);
  let found: SettingsFile | null = null;
  for (let directory = cwd; directory !== home; directory = dirname(directory)) {
    found ??= readSettingsIn(directory);
    if (existsSync(join(directory, '.git'))) return found;
    if (dirname(directory) === directory) return readSettingsIn(cwd);
  }
  return found;
}

/** A directory that we may not enter is no place to run anything: that is said by whoever tries. */
function readSettingsIn(directory: string): SettingsFile | null {
  try {
    accessSync(directory, constants.X_OK);
  } catch {
    return null;
  }
  return readSettingsFile(join(directory, '.nacre/settings.json'));
}

function homeDirectory(env: FileEnvironment): string {
  return env.HOME || homedir();
}

function readSettingsFile(path: string): SettingsFile | null {
  try {
    return { path, text: readFileSync(path, 'utf8') };
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? String(cause);
    if (reason === 'ENOENT' || reason === 'ENOTDIR') return null;
    throw new NacreError('settings_unreadable', { file: path, reason }, { cause });
  }
}

/** The settings of a file, with nested names joined: `{"async": {"enabled": true}}` is `async.enabled`. */
export function parseSettingsText(text: string, file: string): ReadonlyMap<string, unknown> {
  const root = parseJson(text, file);
  if (!isObject(root))
    throw settingInvalid({ file, key: 'the file', expected: 'an object', received: String(root) });
  const flat = new Map<string, unknown>();
  for (const [key, value] of flattenGroups(root, '')) {
    if (flat.has(key)) throw settingInvalid({ file, key, expected: 'set once', received: 'two values' });
    // `null` is as good as nothing, and `$schema` is for editors.
    if (value !== null && key !== '$schema') flat.set(key, value);
  }
  return flat;
}

function* flattenGroups(group: object, path: string): Generator<readonly [string, unknown]> {
  for (const [name, value] of Object.entries(group)) {
    // Hosts are named by whoever writes them: below that name nothing is a setting of its own.
    if (isObject(value) && `${path}${name}` !== 'hosts') yield* flattenGroups(value, `${path}${name}.`);
    else yield [`${path}${name}`, value];
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(stripComments(text));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new NacreError('settings_unreadable', { file, reason }, { cause });
  }
}

/** Comments and trailing commas become spaces, so that positions in errors stay right; texts stay as they are. */
function stripComments(text: string): string {
  return text
    .replace(/^\uFEFF/, '')
    .replace(/("(?:[^"\\\n]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, blankComment)
    .replace(/("(?:[^"\\\n]|\\.)*")|,(?=\s*[}\]])/g, blankComment);
}

function blankComment(found: string, kept: string | undefined): string {
  return kept ?? found.replace(/[^\n]/g, ' ');
}

function settingInvalid(
  fields: Readonly<Record<'file' | 'key' | 'expected' | 'received', string>>,
): NacreError {
  return new NacreError('setting_invalid', fields);
}

type Environment = Readonly<Record<string, string | undefined>>;

export interface SettingsRequest {
  readonly cwd: string;
  readonly env: Environment;
}

/** A value somebody set, and who did. */
interface SetValue {
  readonly value: unknown;
  /** A file, or the name of an environment variable; several when the values add up. */
  readonly sources: readonly string[];
}

/** Only what was set: every default is the library's. */
export type Settings = ReadonlyMap<string, SetValue>;

/** The user's file < the project's file < environment variables. Anything wrong is an error that says where. */
export function loadSettings({ cwd, env }: SettingsRequest): Settings {
  const settings = new Map<string, SetValue>();
  const userFile = readUserSettingsFile(env);
  if (userFile !== null) for (const given of readFileSettings(userFile)) addSetting(settings, given);

  const projectFile = readProjectSettingsFile(cwd, env);
  if (projectFile !== null) {
    for (const given of readFileSettings(projectFile)) {
      rejectUnsafeProjectSetting(given, userSettingsPath(env));
      addSetting(settings, given);
    }
  }
  for (const given of readEnvironmentSettings(env)) addSetting(settings, given);
  return settings;
}

interface GivenSetting {
  readonly key: string;
  readonly setting: Setting;
  readonly value: unknown;
  readonly source: string;
}

function addSetting(settings: Map<string, SetValue>, { key, setting, value, source }: GivenSetting): void {
  const before = settings.get(key);
  if (setting.type.isCumulative && before !== undefined) {
    const joined = [...new Set([...(before.value as unknown[]), ...(value as unknown[])])];
    settings.set(key, { value: joined, sources: [...before.sources, source] });
  } else {
    settings.set(key, { value, sources: [source] });
  }
}

function readFileSettings({ path, text }: SettingsFile): GivenSetting[] {
  return [...parseSettingsText(text, path)].map(([key, raw]) => {
    const setting = Object.hasOwn(SETTING_TABLE, key) ? SETTING_TABLE[key] : undefined;
    if (setting === undefined) {
      const hint = didYouMean(key, Object.keys(SETTING_TABLE));
      throw new NacreError('setting_unknown', { file: path, key, hint });
    }
    return { key, setting, value: validateSetting({ setting, raw, file: path, key }), source: path };
  });
}

/** A variable that is set to nothing counts as not set. */
function readEnvironmentSettings(env: Environment): GivenSetting[] {
  const given: GivenSetting[] = [];
  for (const [key, setting] of Object.entries(SETTING_TABLE)) {
    for (const [name, value] of Object.entries(setting.aliases ?? {})) {
      const text = env[name] ?? '';
      if (text !== '' && text !== '0') given.push({ key, setting, value, source: name });
    }
    const name = toEnvironmentVariable(key);
    const text = env[name] ?? '';
    if (text === '') continue;
    const value = validateSetting({
      setting,
      raw: setting.type.parseVariable(text),
      file: 'the environment',
      key: name,
    });
    given.push({ key, setting, value, source: name });
  }
  return given;
}

interface RawSetting {
  readonly setting: Setting;
  readonly raw: unknown;
  readonly file: string;
  readonly key: string;
}

function validateSetting({ setting, raw, file, key }: RawSetting): unknown {
  const value = setting.type.parse(raw);
  const problem = value === undefined ? null : (setting.type.problem?.(value) ?? null);
  if (problem !== null) throw new NacreError('setting_rule_invalid', { file, key, problem });
  if (value !== undefined) return value;
  const received = JSON.stringify(raw)?.slice(0, 80) ?? String(raw);
  throw new NacreError('setting_invalid', { file, key, expected: setting.type.expected, received });
}

function rejectUnsafeProjectSetting(
  { key, setting: { project }, value, source }: GivenSetting,
  userFile: string,
): void {
  if (project === 'may' || ('only' in project && project.only.includes(value))) return;
  const reason = 'never' in project ? project.never : `only ${project.only.join(' and ')} is safe there`;
  throw new NacreError('setting_forbidden', { file: source, key, reason, userFile });
}
