import type { BashOptions, ProfileName } from '../../index.ts';
import { requireHost } from '../../tool/hosts/find-host.ts';
import { choiceFlag, type Flag, type FlagValues, textFlag } from './flags.ts';

export const profileFlag: Flag<string> = choiceFlag(
  '<name>',
  ['agent', 'modes', 'simple'],
  'Use this contract: agent, modes or simple (default: agent)',
);

export const hostFlag: Flag<string> = textFlag(
  '<host>',
  'Run commands there: sandbox, ssh:<destination>, or a host of the settings',
);

export type SessionFlags = {
  readonly cwd: Flag<string>;
  readonly profile: Flag<string>;
  readonly session: Flag<string>;
  readonly on: Flag<string>;
};

/** Options of the session that a server opens. */
export const SESSION_FLAGS: SessionFlags = {
  cwd: textFlag('<dir>', 'Start commands in this directory'),
  profile: profileFlag,
  session: textFlag('<name>', 'Let artifacts and jobs belong to this session (default: a new one)'),
  on: hostFlag,
};

/** Applies the session options over the settings. */
export function toSessionOptions(
  flags: Omit<FlagValues<SessionFlags>, 'cwd' | 'on'>,
): Pick<BashOptions, 'profile' | 'session'> {
  return {
    ...(flags.profile === undefined ? {} : { profile: flags.profile as ProfileName }),
    ...(flags.session === undefined ? {} : { session: flags.session }),
  };
}

/** Applies `--on` over the settings; an unknown host is an error before anything is served. */
export function withHostOption(settings: BashOptions, name: string | undefined): BashOptions {
  const host = name ?? settings.host;
  if (typeof host === 'string') requireHost(host, settings.hosts);
  return host === undefined ? settings : { ...settings, host };
}
