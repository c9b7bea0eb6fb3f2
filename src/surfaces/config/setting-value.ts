import type { Settings } from './load-settings.ts';
import { SETTINGS } from './setting-table.ts';

/** What a setting is worth when nobody calls the library: what was set, or the default of its row. */
export function settingValue(settings: Settings, key: string): unknown {
  const set = settings.get(key);
  if (set !== undefined) return set.value;
  const { type, default: byDefault } = SETTINGS[key] ?? {};
  return type?.parse(type.fromText(byDefault ?? ''));
}
