import type { Host } from '../../engine/hosts/host.ts';
import type { Hooks } from '../hooks.ts';
import type { ApprovalOptions, BashPolicyOptions } from '../policy/policy-options.ts';
import type { AsyncOptions, AutoBackgroundOptions } from './async-options.ts';
import type { MinimizerOptions } from './minimizer-options.ts';
import type { BashOptions, ProfileName } from './options.ts';
import type { SecretOptions } from './secret-options.ts';
import type { StorageOptions } from './storage-options.ts';
import type { UrlOptions } from './url-options.ts';

/** Options after validation: nothing is optional any more. */
export interface ResolvedOptions extends Required<BashOptions> {
  /** Absolute. */
  readonly cwd: string;
  readonly profile: ProfileName;
  readonly inheritedEnv: Readonly<Record<string, string>>;
  readonly async: Required<AsyncOptions> & { readonly autoBackground: Required<AutoBackgroundOptions> };
  readonly secrets: Required<SecretOptions>;
  readonly storage: Required<StorageOptions>;
  readonly urls: Required<UrlOptions>;
  readonly minimizer: Required<MinimizerOptions>;
  readonly policy: BashPolicyOptions & {
    readonly enabled: boolean;
    readonly approvals: Required<ApprovalOptions>;
  };
  /** Absolute. */
  readonly stateDirectory: string;
  readonly hooks: Hooks;
  readonly host: Host | string | null;
}
