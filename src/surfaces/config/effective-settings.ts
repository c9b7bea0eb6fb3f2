import type { Settings } from './load-settings.ts';
import { SETTINGS, variableOf } from './setting-table.ts';

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
export function effectiveSettings(settings: Settings): readonly EffectiveSetting[] {
  return Object.entries(SETTINGS).map(([key, { default: byDefault, help }]) => {
    const set = settings.get(key);
    const { value = null, sources = [] } = set ?? {};
    return { key, value, default: byDefault, sources, help, variable: variableOf(key) };
  });
}
