import type { DisarmFor } from '../../engine/shell/disarm.ts';
import type { ChildEnvironment } from '../../engine/shell/environment.ts';
import { buildEnvironment } from '../../engine/shell/environment.ts';
import type { SecretRules } from '../../engine/shell/secrets.ts';
import { NacreError } from '../../errors.ts';
import type { ResolvedOptions } from '../options/resolved-options.ts';
import type { Profile } from '../profiles/profile.ts';

/** What a command's environment is made of. */
export interface EnvironmentSources {
  readonly options: ResolvedOptions;
  readonly profile: Profile;
  /** The call's own variables. */
  readonly call: Readonly<Record<string, string>>;
  /** Where the command's output goes. @default 'pipe' */
  readonly output?: DisarmFor;
}

/** A command's environment, and every text that must not show. */
export function makeEnvironment({
  options,
  profile,
  call,
  output = 'pipe',
}: EnvironmentSources): ChildEnvironment {
  const built = buildEnvironment({
    inherited: options.inheritedEnv,
    session: options.env,
    call,
    disarm: profile.disarms ? output : 'off',
    ci: options.ci,
    secrets: secretRules(options),
  });
  const named = options.secrets.mask.filter((value) => value !== '');
  const maskValues = [...new Set([...built.maskValues, ...named])].sort((a, b) => b.length - a.length);
  return { ...built, maskValues };
}

/** Names of shell variables, nothing else: a value is never taken for shell text. */
export function checkNames(env: Readonly<Record<string, string>>): void {
  const wrong = Object.keys(env).find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  if (wrong !== undefined) throw new NacreError('env_name_invalid', { name: wrong });
}

/** Where nothing is withheld by its looks, what was named still is. */
function secretRules({ secrets }: ResolvedOptions): SecretRules | null {
  const { withhold, allow, deny, grants } = secrets;
  if (withhold) return { allow, deny, grants };
  return deny.length === 0 ? null : { allow: ['*'], deny, grants };
}
