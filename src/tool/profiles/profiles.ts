import type { ProfileName } from '../options/bash-options.ts';
import { agentProfile } from './agent.ts';
import { modesProfile } from './modes.ts';
import type { Profile } from './profile.ts';
import { simpleProfile } from './simple.ts';

export const profiles: Readonly<Record<ProfileName, Profile>> = {
  agent: agentProfile,
  modes: modesProfile,
  simple: simpleProfile,
};
