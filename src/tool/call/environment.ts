import { createSecretMask, type SecretMask } from '../../engine/output/secret-mask.ts';
import type { ChildEnvironment } from '../../engine/shell/child-environment.ts';
import { buildEnvironment } from '../../engine/shell/child-environment.ts';
import type { NonInteractiveOutput } from '../../engine/shell/non-interactive-variables.ts';
import type { SecretRules } from '../../engine/shell/withhold-secrets.ts';
import { NacreError } from '../../errors.ts';
import type { ResolvedOptions } from '../options/bash-options.ts';
import type { Profile } from '../profiles/profile.ts';

/** What a command's environment is made of. */
export interface EnvironmentSources {
  readonly options: ResolvedOptions;
  readonly profile: Profile;
  /** The call's own variables. */
  readonly call: Readonly<Record<string, string>>;
  /** Where the command's output goes. @default 'pipe' */
  readonly output?: NonInteractiveOutput;
}

/** A command's environment, and every text that must not show. */
export function buildCallEnvironment({
  options,
  profile,
  call,
  output = 'pipe',
}: EnvironmentSources): ChildEnvironment {
  const built = buildEnvironment({
    inherited: options.inheritedEnv,
    session: options.env,
    call,
    disarm: profile.disablesPrompts ? output : 'off',
    ci: options.ci,
    secrets: toSecretRules(options),
  });
  const named = options.secrets.mask.filter((value) => value !== '');
  const maskValues = [...new Set([...built.maskValues, ...named])].sort((a, b) => b.length - a.length);
  return { ...built, maskValues };
}

/** The environments of one instance: a call that adds nothing of its own gets the same one each time. */
export class EnvironmentCache {
  readonly #sources: Omit<EnvironmentSources, 'call' | 'output'>;
  readonly #built = new Map<NonInteractiveOutput, MaskedEnvironment>();

  constructor(sources: Omit<EnvironmentSources, 'call' | 'output'>) {
    this.#sources = sources;
  }

  get(call: Readonly<Record<string, string>>, output: NonInteractiveOutput = 'pipe'): MaskedEnvironment {
    if (Object.keys(call).length > 0) return this.#build(call, output);
    const made = this.#built.get(output) ?? this.#build({}, output);
    this.#built.set(output, made);
    return made;
  }

  #build(call: Readonly<Record<string, string>>, output: NonInteractiveOutput): MaskedEnvironment {
    const environment = buildCallEnvironment({ ...this.#sources, call, output });
    return { ...environment, mask: createSecretMask(environment.maskValues) };
  }
}

/** An environment, and what takes its secrets out of text. */
export interface MaskedEnvironment extends ChildEnvironment {
  readonly mask: SecretMask;
}

/** Names of shell variables, nothing else: a value is never taken for shell text. */
export function checkVariableNames(env: Readonly<Record<string, string>>): void {
  const wrong = Object.keys(env).find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  if (wrong !== undefined) throw new NacreError('env_name_invalid', { name: wrong });
}

/** Where nothing is withheld by its looks, what was named still is. */
function toSecretRules({ secrets }: ResolvedOptions): SecretRules | null {
  const { withhold, allow, deny, grants } = secrets;
  if (withhold) return { allow, deny, grants };
  return deny.length === 0 ? null : { allow: ['*'], deny, grants };
}
