import { defaultStateDirectory } from '../../index.ts';
import { defaultOf } from '../../tool/options/resolve-options.ts';
import {
  inspectSettings,
  loadSettings,
  SETTINGS,
  type Setting,
  type Settings,
  toBashOptions,
  toEnvironmentVariable,
} from '../../tool/options/settings.ts';
import { joinChoices } from '../../validator.ts';
import { currentDirectory } from './current-directory.ts';

export { inspectSettings, loadSettings, type Settings, toBashOptions };

const PROFILES = ['agent', 'modes', 'simple'] as const;

/** The value of a setting that has one value for all profiles, or its default. */
export function settingOrDefault(settings: Settings, key: string): unknown {
  const set = settings.get(key);
  if (set !== undefined) return set.value;
  const setting = SETTINGS.get(key);
  return setting && defaultOf(setting.row, { profile: 'agent', env: process.env });
}

/** A setting as `nacre doctor` shows it. */
export interface EffectiveSetting {
  readonly key: string;
  /** `null` when the default applies. */
  readonly value: unknown;
  readonly default: string;
  /** Files and variables that set it; empty for the default. */
  readonly sources: readonly string[];
  readonly help: string;
  readonly variable: string;
}

/** Lists every setting with its value and the source of the value. */
export function listEffectiveSettings(settings: Settings): readonly EffectiveSetting[] {
  return [...SETTINGS.values()].map((setting) => {
    const { value = null, sources = [] } = settings.get(setting.key) ?? {};
    const { key, row } = setting;
    const variable = toEnvironmentVariable(key);
    return { key, value, default: renderDefault(setting), sources, help: row.help, variable };
  });
}

/** The default of a setting in words: `300000; 30000 in modes and simple`. */
function renderDefault({ row }: Setting): string {
  if (row.defaultText !== undefined) return row.defaultText;
  const texts = PROFILES.map((profile) => renderValue(defaultOf(row, { profile, env: {} }), row));
  const [first = ''] = texts;
  const others = [...new Set(texts)].filter((text) => text !== first);
  const parts = others.map((text) => {
    const names = PROFILES.filter((_, at) => texts[at] === text);
    return `; ${text} in ${names.join(' and ')}`;
  });
  return first + parts.join('');
}

function renderValue(value: unknown, { check }: Setting['row']): string {
  if (check.render !== undefined) return check.render(value);
  if (value === '' || (Array.isArray(value) && value.length === 0)) return 'none';
  if (typeof value === 'object') return value === null || Object.keys(value).length === 0 ? 'none' : '';
  return String(value);
}

/** The table of docs/reference/settings.md, one line for each setting. */
export function renderSettingsTable(): string {
  const rows = [...SETTINGS.values()].map((setting) => {
    const { key, row } = setting;
    const check = row.settingCheck ?? row.check;
    const cells = [
      [key, ...(row.aliases ?? [])].map((name) => `\`${name}\``).join(', '),
      row.help,
      check.expectedInFiles ?? check.expected,
      renderDefault(setting),
      renderProjectAccess(setting),
      `\`${toEnvironmentVariable(key)}\``,
    ];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return [
    '| setting | meaning | accepts | default | may a project set it | variable |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function renderProjectAccess({ row: { project = 'any value' } }: Setting): string {
  if (project === 'any value') return 'yes';
  return 'only' in project ? `only ${joinChoices(project.only.map((value) => `\`${value}\``))}` : 'no';
}

/** The user's state directory, for commands that read it without an instance. */
export function resolveStateDirectory(): string {
  const { env } = process;
  const { stateDirectory } = toBashOptions(loadSettings({ cwd: currentDirectory(), env }));
  return stateDirectory ?? defaultStateDirectory(env);
}
