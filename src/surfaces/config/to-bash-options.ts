import { type BashOptions, defaultStateDirectory } from '../../index.ts';
import { currentDirectory } from './current-directory.ts';
import { loadSettings, type Settings } from './load-settings.ts';
import { SETTING_TABLE, toEnvironmentVariable } from './setting-table.ts';

type OptionTree = Record<string, unknown>;

/** Settings as the options of `createBash`; what nobody set is left out, so that its default holds. */
export function toBashOptions(settings: Settings): BashOptions {
  const options: OptionTree = {};
  for (const [key, { value }] of settings) {
    const { option = key, factor } = SETTING_TABLE[key] ?? {};
    if (option === null) continue;
    setNestedOption(options, option.split('.'), factor === undefined ? value : Number(value) * factor);
  }
  // The table says where each value goes; a test has the library check every row of it.
  return options as BashOptions;
}

function setNestedOption(options: OptionTree, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    options[name] = value;
    return;
  }
  const group = { ...(options[name] as OptionTree | undefined) };
  options[name] = group;
  setNestedOption(group, rest, value);
}

/** What a setting is worth when nobody calls the library: what was set, or the default of its row. */
export function settingOrDefault(settings: Settings, key: string): unknown {
  const set = settings.get(key);
  if (set !== undefined) return set.value;
  const { type, default: byDefault } = SETTING_TABLE[key] ?? {};
  return type?.parse(type.parseVariable(byDefault ?? ''));
}

/** A setting as `nacre doctor` shows it. */
export interface EffectiveSetting {
  readonly key: string;
  /** `null`: the default holds. */
  readonly value: unknown;
  readonly default: string;
  /** Files and variables that set it; empty when nobody did. */
  readonly sources: readonly string[];
  readonly help: string;
  readonly variable: string;
}

/** Every setting there is, with its value and where it comes from. */
export function listEffectiveSettings(settings: Settings): readonly EffectiveSetting[] {
  return Object.entries(SETTING_TABLE).map(([key, { default: byDefault, help }]) => {
    const set = settings.get(key);
    const { value = null, sources = [] } = set ?? {};
    return { key, value, default: byDefault, sources, help, variable: toEnvironmentVariable(key) };
  });
}

/** Where runs, sessions and the log of this user are. */
export function resolveStateDirectory(): string {
  const { env } = process;
  return (
    toBashOptions(loadSettings({ cwd: currentDirectory(), env })).stateDirectory ?? defaultStateDirectory(env)
  );
}
