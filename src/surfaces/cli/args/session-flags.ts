import type { BashOptions, ProfileName } from '../../../index.ts';
import { choice, type Flag, type FlagValues, text } from './flag.ts';

export const profile: Flag<string> = choice(
  '<name>',
  ['agent', 'modes', 'simple'],
  'Use this contract: agent, modes or simple (default: agent)',
);

export type SessionFlags = {
  readonly cwd: Flag<string>;
  readonly profile: Flag<string>;
  readonly session: Flag<string>;
};

/** What a server is told of the session that it opens for its client. */
export const SESSION_FLAGS: SessionFlags = {
  cwd: text('<dir>', 'Start commands in this directory'),
  profile,
  session: text('<name>', 'Let artifacts and jobs belong to this session (default: a new one)'),
};

/** Over what the settings say. */
export function toSessionOptions(
  flags: Omit<FlagValues<SessionFlags>, 'cwd'>,
): Pick<BashOptions, 'profile' | 'session'> {
  return {
    ...(flags.profile === undefined ? {} : { profile: flags.profile as ProfileName }),
    ...(flags.session === undefined ? {} : { session: flags.session }),
  };
}
