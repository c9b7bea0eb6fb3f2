import { NacreError } from '../../errors.ts';
import { didYouMean } from './did-you-mean.ts';
import { parseSettings } from './parse-settings.ts';
import { SETTINGS, type Setting, variableOf } from './setting-table.ts';
import { readProjectFile, readUserFile, type SettingsFile, userFilePath } from './settings-files.ts';

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
  const userFile = readUserFile(env);
  if (userFile !== null) for (const given of settingsIn(userFile)) put(settings, given);

  const projectFile = readProjectFile(cwd, env);
  if (projectFile !== null) {
    for (const given of settingsIn(projectFile)) {
      refuseLoosening(given, userFilePath(env));
      put(settings, given);
    }
  }
  for (const given of settingsOf(env)) put(settings, given);
  return settings;
}

interface Given {
  readonly key: string;
  readonly setting: Setting;
  readonly value: unknown;
  readonly source: string;
}

function put(settings: Map<string, SetValue>, { key, setting, value, source }: Given): void {
  const before = settings.get(key);
  if (setting.type.addsUp && before !== undefined) {
    const joined = [...new Set([...(before.value as unknown[]), ...(value as unknown[])])];
    settings.set(key, { value: joined, sources: [...before.sources, source] });
  } else {
    settings.set(key, { value, sources: [source] });
  }
}

function settingsIn({ path, text }: SettingsFile): Given[] {
  return [...parseSettings(text, path)].map(([key, raw]) => {
    const setting = Object.hasOwn(SETTINGS, key) ? SETTINGS[key] : undefined;
    if (setting === undefined) {
      const meant = didYouMean(key, Object.keys(SETTINGS));
      throw new NacreError('setting_unknown', { file: path, key, meant });
    }
    return { key, setting, value: check({ setting, raw, file: path, key }), source: path };
  });
}

/** A variable that is set to nothing counts as not set. */
function settingsOf(env: Environment): Given[] {
  const given: Given[] = [];
  for (const [key, setting] of Object.entries(SETTINGS)) {
    for (const [name, value] of Object.entries(setting.aliases ?? {})) {
      const text = env[name] ?? '';
      if (text !== '' && text !== '0') given.push({ key, setting, value, source: name });
    }
    const name = variableOf(key);
    const text = env[name] ?? '';
    if (text === '') continue;
    const value = check({ setting, raw: setting.type.fromText(text), file: 'the environment', key: name });
    given.push({ key, setting, value, source: name });
  }
  return given;
}

interface Checked {
  readonly setting: Setting;
  readonly raw: unknown;
  readonly file: string;
  readonly key: string;
}

function check({ setting, raw, file, key }: Checked): unknown {
  const value = setting.type.parse(raw);
  const problem = value === undefined ? null : (setting.type.problem?.(value) ?? null);
  if (problem !== null) throw new NacreError('setting_rule_invalid', { file, key, problem });
  if (value !== undefined) return value;
  const received = JSON.stringify(raw)?.slice(0, 80) ?? String(raw);
  throw new NacreError('setting_invalid', { file, key, expected: setting.type.expected, received });
}

function refuseLoosening({ key, setting: { project }, value, source }: Given, userFile: string): void {
  if (project === 'may' || ('only' in project && project.only.includes(value))) return;
  const reason = 'never' in project ? project.never : `only ${project.only.join(' and ')} is safe there`;
  throw new NacreError('setting_forbidden', { file: source, key, reason, userFile });
}
