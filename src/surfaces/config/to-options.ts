import type { BashOptions } from '../../index.ts';
import type { Settings } from './load-settings.ts';
import { SETTINGS } from './setting-table.ts';

type Options = Record<string, unknown>;

/** Settings as the options of `createBash`; what nobody set is left out, so that its default holds. */
export function toOptions(settings: Settings): BashOptions {
  const options: Options = {};
  for (const [key, { value, sources }] of settings) {
    const { option = key, factor } = SETTINGS[key] ?? {};
    if (option === null) continue;
    place(options, option.split('.'), factor === undefined ? value : Number(value) * factor);
    if (key === 'shellPath') options.shellPathSource = sourceOf(sources[0] ?? '');
  }
  // The table says where each value goes; a test has the library check every row of it.
  return options as BashOptions;
}

function place(options: Options, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    options[name] = value;
    return;
  }
  const group = { ...(options[name] as Options | undefined) };
  options[name] = group;
  place(group, rest, value);
}

function sourceOf(source: string): string {
  return source.startsWith('/') ? `shellPath in ${source}` : `the variable ${source}`;
}
