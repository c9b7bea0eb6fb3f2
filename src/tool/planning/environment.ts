import { createMask, type Mask } from '../../engine/output/mask.ts';
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

/** The environments of one instance: a call that adds nothing of its own gets the same one each time. */
export class Environments {
  readonly #sources: Omit<EnvironmentSources, 'call' | 'output'>;
  readonly #made = new Map<DisarmFor, MaskedEnvironment>();

  constructor(sources: Omit<EnvironmentSources, 'call' | 'output'>) {
    this.#sources = sources;
  }

  of(call: Readonly<Record<string, string>>, output: DisarmFor = 'pipe'): MaskedEnvironment {
    if (Object.keys(call).length > 0) return this.#make(call, output);
    const made = this.#made.get(output) ?? this.#make({}, output);
    this.#made.set(output, made);
    return made;
  }

  #make(call: Readonly<Record<string, string>>, output: DisarmFor): MaskedEnvironment {
    const environment = makeEnvironment({ ...this.#sources, call, output });
    return { ...environment, mask: createMask(environment.maskValues) };
  }
}

/** An environment, and what takes its secrets out of text. */
export interface MaskedEnvironment extends ChildEnvironment {
  readonly mask: Mask;
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
