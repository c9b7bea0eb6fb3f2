import { resolve } from 'node:path';
import { NacreError } from '../../errors.ts';
import { didYouMean } from '../../validator.ts';
import type { BashOptions } from './bash-options.ts';
import { type OptionRow, SERVER_SETTINGS } from './option-table.ts';
import { checkOptions, listOptionRows } from './resolve-options.ts';
import {
  locateKey,
  parseSettingsFile,
  readProjectSettingsFile,
  readSettingsFile,
  type SettingsFile,
  userSettingsPath,
} from './settings-file.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A value from a settings file or variable. */
export interface SettingValue {
  readonly value: unknown;
  /** Paths of files or names of variables; several when lists are joined. */
  readonly sources: readonly string[];
}

/** The settings that are set, by option path. Defaults are not included. */
export type Settings = ReadonlyMap<string, SettingValue>;

/** One setting of the settings reference. */
export interface Setting {
  /** The option path, or the name of a server setting. */
  readonly key: string;
  readonly row: OptionRow;
  /** Whether the setting is an option of `createBash`. */
  readonly isOption: boolean;
}

/** Every setting: the options that a settings file may contain, then the settings of servers. */
export const SETTINGS: ReadonlyMap<string, Setting> = new Map(
  [
    ...listOptionRows()
      .filter(([, row]) => row.project !== undefined)
      .map(([key, row]): Setting => ({ key, row, isOption: true })),
    ...Object.entries(SERVER_SETTINGS).map(([key, row]): Setting => ({ key, row, isOption: false })),
  ].map((setting) => [setting.key, setting]),
);

const BY_KEY_OR_ALIAS: ReadonlyMap<string, Setting> = new Map(
  [...SETTINGS.values()].flatMap((setting) =>
    [setting.key, ...(setting.row.aliases ?? [])].map((key) => [key, setting] as const),
  ),
);

/** Settings whose value is an object: its names are not settings. */
const OBJECT_SETTINGS: ReadonlySet<string> = new Set(['hosts']);

/** The environment variable of a setting: `storage.maxRunBytes` is `NACRE_STORAGE_MAX_RUN_BYTES`. */
export function toEnvironmentVariable(key: string): string {
  return `NACRE_${key
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll('.', '_')
    .toUpperCase()}`;
}

/**
 * Loads all settings: the user's file, overridden by the project's file, overridden by variables.
 *
 * @throws {NacreError} `setting_invalid`, `setting_unknown`, `setting_forbidden`, `setting_rule_invalid`, `settings_unreadable`
 */
export function loadSettings(request: SettingsRequest): Settings {
  const { settings, problems } = inspectSettings(request);
  const [problem] = problems;
  if (problem !== undefined) throw problem;
  return settings;
}

interface SettingsRequest {
  readonly cwd: string;
  readonly env: Environment;
}

/** Loads the settings of every source that is valid, with the errors of the other sources. */
export function inspectSettings({ cwd, env }: SettingsRequest): {
  readonly settings: Settings;
  readonly problems: readonly NacreError[];
} {
  const problems: NacreError[] = [];
  const readSource = (read: () => readonly GivenValue[]): readonly GivenValue[] => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof NacreError)) throw error;
      problems.push(error);
      return [];
    }
  };
  const userFile = userSettingsPath(env);
  const projectValues = readSource(() => readProjectValues(cwd, env));
  const userValues = readSource(() => readUserValues(userFile));
  const variables = readSource(() => readVariables(env));
  return { settings: joinValues([...userValues, ...projectValues, ...variables]), problems };
}

function readProjectValues(cwd: string, env: Environment): readonly GivenValue[] {
  const file = readProjectSettingsFile(cwd, env);
  if (file === null) return [];
  const values = readFileValues(file);
  for (const given of values) rejectUnsafeProjectValue(given, { file, userFile: userSettingsPath(env) });
  return values;
}

/**
 * Converts settings to options of `createBash`. Settings that are not set are left out, so that the defaults apply; `createBash`
 * reads no settings a second time.
 */
export function toBashOptions(settings: Settings): BashOptions {
  return addSettings({ settings: false }, settings);
}

/**
 * Adds the settings that the option `settings` selects to the options of a program. Options that are given win.
 *
 * @throws {NacreError} `option_unknown`, `option_invalid`, and the errors of `loadSettings`
 */
export function withSettings(options: BashOptions, env: Environment = process.env): BashOptions {
  checkOptions(options);
  const { settings = 'auto' } = options;
  if (settings === false) return options;
  const isRead = settings === 'auto' ? isProtective : () => true;
  const file = settings === 'auto' ? userSettingsPath(env) : resolve(settings);
  const found = readSettingsFile(file);
  if (found === null && settings !== 'auto')
    throw new NacreError('settings_unreadable', { file, reason: 'ENOENT' });
  const values = found === null ? [] : readFileValues(found, isRead);
  return addSettings(options, joinValues([...values, ...readVariables(env, isRead)]));
}

/** Whether a setting decides where commands run, which of them may run, or which secrets they get. */
function isProtective({ key }: Setting): boolean {
  return /^(?:hosts?|policy|secrets)(?:\.|$)/.test(key);
}

function addSettings(options: BashOptions, settings: Settings): BashOptions {
  const added: Record<string, unknown> = { ...options };
  for (const [key, { value }] of settings) {
    const path = key.split('.');
    if (SETTINGS.get(key)?.isOption && getNested(options, path) === undefined) setNested(added, path, value);
  }
  // The checks of the table have accepted each value.
  return added;
}

function getNested(options: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (group, name) => (group as Record<string, unknown> | undefined)?.[name],
    options,
  );
}

function setNested(
  options: Record<string, unknown>,
  [name = '', ...rest]: readonly string[],
  value: unknown,
): void {
  if (rest.length === 0) {
    options[name] = value;
    return;
  }
  const group = { ...(options[name] as Record<string, unknown> | undefined) };
  options[name] = group;
  setNested(group, rest, value);
}

/** A value as a file or variable contains it. */
interface GivenValue {
  readonly setting: Setting;
  /** The key or alias in the file, or the name of the variable. */
  readonly name: string;
  readonly value: unknown;
  /** A file or the name of a variable. */
  readonly source: string;
}

function joinValues(values: readonly GivenValue[]): Settings {
  const settings = new Map<string, SettingValue>();
  for (const { setting, value, source } of values) {
    const before = setting.row.check.isCumulative ? settings.get(setting.key) : undefined;
    if (before === undefined) {
      settings.set(setting.key, { value, sources: [source] });
      continue;
    }
    const joined = new Set([...(before.value as unknown[]), ...(value as unknown[])]);
    settings.set(setting.key, { value: [...joined], sources: [...before.sources, source] });
  }
  return settings;
}

function readUserValues(path: string): readonly GivenValue[] {
  const file = readSettingsFile(path);
  return file === null ? [] : readFileValues(file);
}

function readFileValues(
  file: SettingsFile,
  isRead: (setting: Setting) => boolean = () => true,
): readonly GivenValue[] {
  const given = [...parseSettingsFile(file, OBJECT_SETTINGS)].flatMap(([name, raw]) => {
    const setting = BY_KEY_OR_ALIAS.get(name);
    if (setting === undefined)
      throw new NacreError('setting_unknown', {
        file: locateKey(file, name),
        key: name,
        hint: didYouMean(name, BY_KEY_OR_ALIAS.keys()),
      });
    if (!isRead(setting)) return [];
    const value = parseFileValue({ setting, raw, place: (key = name) => locateKey(file, key), name });
    return [{ setting, name, value, source: file.path }];
  });
  rejectDuplicates(given, file);
  return given;
}

/** A setting and its alias in one file would make the result depend on their order. */
function rejectDuplicates(values: readonly GivenValue[], file: SettingsFile): void {
  const names = new Map<string, string>();
  for (const { setting, name } of values) {
    const other = names.get(setting.key);
    if (other !== undefined)
      throw new NacreError('setting_invalid', {
        file: locateKey(file, name),
        key: name,
        expected: 'set once',
        received: `a second value in ${other}`,
      });
    names.set(setting.key, name);
  }
}

/** Reads the variables of settings. An empty variable counts as not set. */
function readVariables(
  env: Environment,
  isRead: (setting: Setting) => boolean = () => true,
): readonly GivenValue[] {
  const given: GivenValue[] = [];
  for (const setting of [...SETTINGS.values()].filter(isRead)) {
    const { check, variables = {} } = setting.row;
    for (const [name, value] of Object.entries(variables))
      if (!['', '0', undefined].includes(env[name])) given.push({ setting, name, value, source: name });
    const name = toEnvironmentVariable(setting.key);
    const text = env[name] ?? '';
    if (text === '') continue;
    const raw = check.parseText === undefined ? text : check.parseText(text);
    const value = checkSetting({ setting, raw, place: () => 'the environment', name });
    given.push({ setting, name, value, source: name });
  }
  return given;
}

interface RawValue {
  readonly setting: Setting;
  readonly raw: unknown;
  /** Where the value is, for errors; the key of the value by default. */
  readonly place: (key?: string) => string;
  readonly name: string;
}

function parseFileValue(given: RawValue): unknown {
  const { expectedInFiles, parseText } = given.setting.row.check;
  const isText = expectedInFiles !== undefined && typeof given.raw === 'string';
  return checkSetting(isText ? { ...given, raw: parseText?.(String(given.raw)) } : given);
}

function checkSetting({ setting: { row }, raw, place, name: key }: RawValue): unknown {
  const check = row.settingCheck ?? row.check;
  if (!check.accepts(raw)) {
    const received = JSON.stringify(raw)?.slice(0, 80) ?? String(raw);
    const expected = check.expectedInFiles ?? check.expected;
    throw new NacreError('setting_invalid', { file: place(), key, expected, received });
  }
  try {
    check.validate?.(raw);
  } catch (error) {
    if (!(error instanceof NacreError)) throw error;
    throw new NacreError(
      'setting_rule_invalid',
      { file: place(), key, problem: error.message },
      { cause: error },
    );
  }
  return raw;
}

function rejectUnsafeProjectValue(
  { setting, name, value }: GivenValue,
  { file, userFile }: { readonly file: SettingsFile; readonly userFile: string },
): void {
  const { project } = setting.row;
  if (project === undefined || project === 'any value') return;
  if ('only' in project && project.only.includes(value)) return;
  const reason = 'never' in project ? project.never : `only ${project.only.join(' and ')} is safe there`;
  throw new NacreError('setting_forbidden', { file: locateKey(file, name), key: name, reason, userFile });
}
