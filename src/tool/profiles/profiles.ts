import type { ProfileName } from '../options/options.ts';
import { agent } from './agent.ts';
import { modes } from './modes.ts';
import type { Profile } from './profile.ts';
import { simple } from './simple.ts';

export const profiles: Readonly<Record<ProfileName, Profile>> = { agent, modes, simple };
