import { type BashOptions, type ProfileName, requireHost } from '../../../index.ts';
import { choice, type Flag, type FlagValues, text } from './flag.ts';

export const profile: Flag<string> = choice(
  '<name>',
  ['agent', 'modes', 'simple'],
  'Use this contract: agent, modes or simple (default: agent)',
);

export const on: Flag<string> = text(
  '<host>',
  'Run commands there: sandbox, ssh:<destination>, or a host of the settings',
);

export type SessionFlags = {
  readonly cwd: Flag<string>;
  readonly profile: Flag<string>;
  readonly session: Flag<string>;
  readonly on: Flag<string>;
};

/** What a server is told of the session that it opens for its client. */
export const SESSION_FLAGS: SessionFlags = {
  cwd: text('<dir>', 'Start commands in this directory'),
  profile,
  session: text('<name>', 'Let artifacts and jobs belong to this session (default: a new one)'),
  on,
};

/** Over what the settings say. */
export function toSessionOptions(
  flags: Omit<FlagValues<SessionFlags>, 'cwd' | 'on'>,
): Pick<BashOptions, 'profile' | 'session'> {
  return {
    ...(flags.profile === undefined ? {} : { profile: flags.profile as ProfileName }),
    ...(flags.session === undefined ? {} : { session: flags.session }),
  };
}

/** The settings, with the host that was named over theirs. A server says at once that there is no such host. */
export function withHost(settings: BashOptions, name: string | undefined): BashOptions {
  const host = name ?? settings.host;
  if (typeof host === 'string') requireHost(host, settings.hosts);
  return host === undefined ? settings : { ...settings, host };
}
