import type { BuiltInCheck } from './policy-options.ts';

/** Which checks are on when nobody says otherwise. */
export const DEFAULT_CHECKS: Readonly<Record<BuiltInCheck, boolean>> = {
  no_blind_git_add: true,
  no_force_push: true,
  no_dangerous_rm: true,
  no_system_directory_rm: false,
};
