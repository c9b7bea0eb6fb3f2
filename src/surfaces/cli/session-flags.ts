import type { BashOptions, ProfileName } from '../../index.ts';
import { requireHost } from '../../tool/hosts/find-host.ts';
import { OPTION_TABLE, type OptionGroup, type OptionRow } from '../../tool/options/option-table.ts';
import type { Flag, FlagValues } from './flags.ts';

/** The flag that sets an option, from the option's row. */
function optionFlag<T = string>(row: unknown): Flag<T> {
  const { check, flag } = row as OptionRow<T>;
  return {
    value: flag?.value ?? '<value>',
    help: flag?.help ?? '',
    ...(check.choices === undefined ? {} : { choices: check.choices }),
    expected: check.expectedInFiles ?? check.expected,
    parse: (text) => {
      const value = check.parseText === undefined ? text : check.parseText(text);
      return check.accepts(value) ? value : undefined;
    },
  };
}

const { group: OUTPUT_ROWS } = OPTION_TABLE.output as OptionGroup<{ readonly maxBytes: number }>;

export const cwdFlag: Flag<string> = { ...optionFlag(OPTION_TABLE.cwd), short: 'C' };
export const profileFlag: Flag<string> = optionFlag(OPTION_TABLE.profile);
export const sessionFlag: Flag<string> = optionFlag(OPTION_TABLE.session);
export const hostFlag: Flag<string> = optionFlag(OPTION_TABLE.host);
export const outputMaxBytesFlag: Flag<number> = optionFlag(OUTPUT_ROWS.maxBytes);

export type SessionFlags = {
  readonly cwd: Flag<string>;
  readonly profile: Flag<string>;
  readonly session: Flag<string>;
  readonly host: Flag<string>;
};

/** Options of the session that a server opens. */
export const SESSION_FLAGS: SessionFlags = {
  cwd: cwdFlag,
  profile: profileFlag,
  session: sessionFlag,
  host: hostFlag,
};

/** Applies the session options over the settings. */
export function toSessionOptions(
  flags: Omit<FlagValues<SessionFlags>, 'cwd' | 'host'>,
): Pick<BashOptions, 'profile' | 'session'> {
  return {
    ...(flags.profile === undefined ? {} : { profile: flags.profile as ProfileName }),
    ...(flags.session === undefined ? {} : { session: flags.session }),
  };
}

/** Applies `--host` over the settings; an unknown host is an error before anything is served. */
export function withHostOption(settings: BashOptions, name: string | undefined): BashOptions {
  const host = name ?? settings.host;
  if (typeof host === 'string') requireHost(host, settings.hosts);
  return host === undefined ? settings : { ...settings, host };
}
