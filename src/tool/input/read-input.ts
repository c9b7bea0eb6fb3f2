import { NacreError } from '../../errors.ts';
import type { CallInput } from '../hooks.ts';
import type { ResolvedOptions } from '../options/resolved-options.ts';
import type { Profile } from '../profiles/profile.ts';
import { checkCommand } from './check-command.ts';
import { checkInput } from './check-input.ts';
import type { InputSchema } from './schema.ts';

/** What an input is held to. */
export interface InputRules {
  readonly profile: Profile;
  readonly schema: InputSchema;
  readonly options: ResolvedOptions;
}

/** Checks what came in against the profile. Nothing has been done with it before. */
export function readInput(input: unknown, { profile, schema, options }: InputRules): CallInput {
  const allowed = options.async.enabled ? input : withoutBackground(input, { profile, schema });
  const fields = checkInput(allowed, schema);
  checkCommand(fields.command as string, profile.maxCommandLength);
  return fields;
}

/** Asking for what is switched off has an error of its own; leaving it out in so many words is no error. */
function withoutBackground(input: unknown, { profile, schema }: Omit<InputRules, 'options'>): unknown {
  const { background } = profile;
  if (background === null || typeof input !== 'object' || input === null) return input;
  const { [background.field]: value, ...others } = input as Record<string, unknown>;
  if (value === background.value) throw new NacreError('async_disabled');
  const isLeftOut = value === false || value === null || value === undefined;
  return isLeftOut && !Object.hasOwn(schema.properties, background.field) ? others : input;
}
